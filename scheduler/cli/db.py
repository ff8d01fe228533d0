"""`gradefarm db`: create or migrate the database of a farm, or check it."""

from typing import Annotated

import typer

from models.errors import InputFault, InvalidInput, Refused
from models.migrations.moving_on import refuse_unknowing_scheduler
from models.migrations.upgrade import database_revision, newest_revision, upgrade_database
from models.plain_text import one_line
from models.protocol import PROTOCOL
from models.storage.elections import TERM_S
from models.storage.granting import grant_rights, grant_statements
from models.storage.role_rights import DatabaseRole
from scheduler.cli.farm_access import JsonFlag, open_local_farm
from scheduler.cli.text_tables import print_json
from scheduler.embedded_farm.database_file import database_exists

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Create or migrate the database of a farm, check it, or let workers into it.",
)


@app.command()
def upgrade(*, as_json: JsonFlag = False) -> None:
    """Create the database, or bring it to the newest schema. Results are kept.

    Schedulers and workers of another version may be at work: they take no more, finish what they
    hold, and end. Only a scheduler from before protocols must be stopped first.

    \b
      gradefarm db upgrade
      GRADEFARM_DATABASE_URL=postgresql://farm@db/farm gradefarm db upgrade
    """
    farm = open_local_farm()
    settings = farm.settings
    settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    if database_exists(settings.database_url):
        refuse_unknowing_scheduler(farm.database, farm.clock, TERM_S + 2)
    upgrade_database(settings.database_url, lease_s=settings.lease.lease_s)
    revision = newest_revision()
    left = [one for one in farm.workers.force().workers if one.protocol != PROTOCOL]
    if as_json:
        names = [one.name for one in left]
        print_json({"revision": revision, "protocol": PROTOCOL, "outdated_workers": names})
        return
    print(f"the database is at {revision}, the farm speaks protocol {PROTOCOL}")
    for one in left:
        print(one_line(f"{one.name} speaks protocol {one.protocol}: it takes no more work,"))
        print("  finishes what it has, and ends; start it again with this version")


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


@app.command()
def grant(
    *,
    agent_role: Annotated[
        str, typer.Option(metavar="ROLE", help="The database role of workers of the role agent.")
    ] = "",
    grade_role: Annotated[
        str, typer.Option(metavar="ROLE", help="Of workers of the roles grade and all.")
    ] = "",
    sql: Annotated[bool, typer.Option("--sql", help="Print the statements instead.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Give the database roles of workers what they need, and nothing else. PostgreSQL only.

    An agent worker's password then opens neither results nor gates nor what a campaign asked for.
    Run it again after each `gradefarm db upgrade`; the roles must exist.

    \b
      gradefarm db grant --agent-role farm_agent --grade-role farm_grade
      gradefarm db grant --agent-role farm_agent --sql
    """
    named = {DatabaseRole.AGENT: agent_role, DatabaseRole.GRADE: grade_role}
    roles = {role: name for role, name in named.items() if name}
    if not roles:
        fault = InputFault("--agent-role", "no role is named", "name one, or --grade-role")
        raise InvalidInput("the command line", [fault])
    if sql:
        statements = grant_statements(roles)
        print_json({"statements": statements}) if as_json else print(";\n".join(statements) + ";")
        return
    grant_rights(open_local_farm().database, roles)
    if as_json:
        print_json({"granted": roles})
        return
    for role, name in roles.items():
        print(f"{name} has the rights of workers of the role {role}")
