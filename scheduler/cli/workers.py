"""`gradefarm workers`: who works, and what each worker does."""

import typer

from models.clock import as_iso
from models.schemas.run import RunState
from models.storage.runs import RunFilter, list_runs
from scheduler.cli.farm_access import FarmAccess, JsonFlag, open_farm
from scheduler.cli.farm_life import living_workers, what_is_missing
from scheduler.cli.text_tables import columns, print_json

app = typer.Typer(rich_markup_mode=None)

MOST_RUNS = 1_000


@app.command()
def workers(*, as_json: JsonFlag = False) -> None:
    """Workers that are alive, what they can do, and the runs that they have in work.

    \b
      gradefarm workers
      gradefarm workers --json
    """
    farm = open_farm()
    living = living_workers(farm)
    busy = runs_in_work(farm)
    if as_json:
        print_json({"workers": living, "in_work": busy})
        return
    head = ("worker", "roles", "slots", "languages", "isolation", "last beat", "in work")
    rows = [
        (
            one.name,
            ",".join(one.roles),
            one.slots,
            ",".join([*sorted(one.toolchains), *(f"({name})" for name in one.warming)]),
            one.isolation,
            as_iso(one.beat_at),
            " ".join(busy.get(one.name, [])),
        )
        for one in living
    ]
    print(columns(head, rows))
    if any(one.warming for one in living):
        print("(in brackets): being made ready, served soon")
    if hint := what_is_missing(farm):
        print(hint)


def runs_in_work(farm: FarmAccess) -> dict[str, list[str]]:
    """The labels of runs under a lease, by worker."""
    found: dict[str, list[str]] = {}
    with farm.database.read() as session:
        for state in (RunState.AGENT_LEASED, RunState.GRADE_LEASED):
            for run in list_runs(session, RunFilter(state=state), limit=MOST_RUNS):
                found.setdefault(run.worker or "?", []).append(f"{run.id}:{run.label}")
    return found
