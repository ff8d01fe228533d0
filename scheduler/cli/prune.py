"""`gradefarm prune`: make room, without touching what a result rests on."""

from typing import Annotated

import typer

from models.counted_nouns import counted
from models.storage.artifact_opening import open_prunable_stores
from scheduler.cli.farm_access import JsonFlag, open_local_farm
from scheduler.cli.progress_note import ProgressNote
from scheduler.cli.text_tables import print_json
from scheduler.keeping.prune import Pruned, PruneWish, prune

app = typer.Typer(rich_markup_mode=None)

DAY_S = 86_400.0
MEGABYTE = 1_000_000


@app.command("prune")
def prune_farm(
    *,
    older_than: Annotated[
        float, typer.Option(min=1, help="Days: younger things stay, whatever they are.")
    ] = 30.0,
    gates: Annotated[
        bool,
        typer.Option("--gates", help="Also what gates left that were decided again since."),
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Throw away artifacts that no row names, and workers that are long gone.

    Whatever an attempt of an evaluation left stays, so that every result can be looked at and
    graded again. Refused while campaigns are at work.

    \b
      gradefarm prune --dry-run
      gradefarm prune --older-than 90 --gates
    """
    farm = open_local_farm()
    wish = PruneWish(farm.clock.now() - older_than * DAY_S, gates, dry_run)
    stores = open_prunable_stores(farm.settings)
    with ProgressNote() as note:
        done = prune(farm.database, farm.artifacts, stores, wish, note.tell)
    print_json(done) if as_json else print(_told(done))


def _told(done: Pruned) -> str:
    verb = "would go" if done.dry_run else "are gone"
    return (
        f"{counted(done.artifacts, 'artifact')} ({done.bytes_freed / MEGABYTE:.1f} MB) and "
        f"{counted(done.workers, 'worker')} {verb}"
    )
