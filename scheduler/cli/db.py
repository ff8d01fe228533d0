"""`gradefarm db`: create or migrate the database of a farm, or check it."""

import typer

from models.errors import Refused
from models.migrations.upgrade import database_revision, newest_revision, upgrade_database
from scheduler.cli.farm_access import JsonFlag, open_local_farm
from scheduler.cli.text_tables import print_json

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Create or migrate the database of a farm, or check it. `gradefarm up` does it by itself.",
)


@app.command()
def upgrade(*, as_json: JsonFlag = False) -> None:
    """Create the database, or bring it to the newest schema. Results are kept.

    \b
      gradefarm db upgrade
      GRADEFARM_DATABASE_URL=postgresql://farm@db/farm gradefarm db upgrade
    """
    settings = open_local_farm().settings
    settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    upgrade_database(settings.database_url)
    revision = newest_revision()
    if as_json:
        print_json({"revision": revision})
    else:
        print(f"the database is at {revision}")


@app.command()
def check(*, as_json: JsonFlag = False) -> None:
    """Say at which schema the database is. Exit code 4 where it is not the newest.

    \b
      gradefarm db check
    """
    farm = open_local_farm()
    found, newest = database_revision(farm.database), newest_revision()
    if as_json:
        print_json({"revision": found, "newest": newest, "current": found == newest})
    if found != newest:
        raise Refused(
            f"the database is at {found or 'no schema'}, this gradefarm needs {newest}.",
            remedy="`gradefarm db upgrade` migrates it.",
        )
    if not as_json:
        print(f"the database is at {found}, the newest")
