"""`gradefarm workers`: who works, and what each worker does."""

import typer

from models.clock import as_iso
from scheduler.cli.farm_access import JsonFlag, open_farm
from scheduler.cli.text_tables import columns, print_json

app = typer.Typer(rich_markup_mode=None)


@app.command()
def workers(*, as_json: JsonFlag = False) -> None:
    """Workers that are alive, what they can do, and the runs that they have in work.

    \b
      gradefarm workers
      gradefarm workers --json
    """
    force = open_farm().workers.force()
    if as_json:
        print_json({"workers": force.workers, "in_work": force.in_work})
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
            " ".join(force.in_work.get(one.name, ())),
        )
        for one in force.workers
    ]
    print(columns(head, rows))
    if any(one.warming for one in force.workers):
        print("(in brackets): being made ready, served soon")
    if force.hint:
        print(force.hint)
