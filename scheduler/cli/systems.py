"""`gradefarm systems`: what is evaluated, and how much of it may happen at once."""

from collections.abc import Sequence
from typing import Annotated

import typer

from models.errors import InputFault, InvalidInput, NotFound
from models.schemas.system_limit import SystemLimits, SystemLoad
from scheduler.cli.farm_access import JsonFlag, open_farm
from scheduler.cli.system_text import limits_text
from scheduler.cli.text_tables import columns, print_json

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Systems, what runs of them, and limits that hold for all workers and campaigns.",
)


@app.command("list")
def list_them(*, as_json: JsonFlag = False) -> None:
    """Systems, the newest first: runs at work, limits, starts in the last minute.

    \b
      gradefarm systems list
      gradefarm systems list --json
    """
    loads = open_farm().systems.loads()
    if as_json:
        print_json(loads)
        return
    head = ("system", "id", "agent", "running", "queued", "starts/min", "limits", "set by")
    print(columns(head, [_row(one) for one in loads]))


@app.command()
def limit(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A system's name, or its id.")],
    *,
    concurrent: Annotated[
        int | None,
        typer.Option("--concurrent", min=1, max=1_000_000, help="Runs at work at once."),
    ] = None,
    starts_per_minute: Annotated[
        int | None,
        typer.Option("--starts-per-minute", min=1, max=1_000_000, help="Runs begun in any minute."),
    ] = None,
    none: Annotated[bool, typer.Option("--none", help="Take its limits away.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Limit a system, at once and for every campaign. What is at work goes on.

    A limit that is not named stays as it is. Of several systems of one name, the newest.

    \b
      gradefarm systems limit my-agent --concurrent 4 --starts-per-minute 30
      gradefarm systems limit my-agent --none
    """
    asked = SystemLimits(max_concurrent=concurrent, starts_per_minute=starts_per_minute)
    if none == asked.limits_anything:
        fault = InputFault(
            "the options", "no limit, or both a limit and --none", "give a limit, or --none"
        )
        raise InvalidInput("the command line", [fault])
    systems = open_farm().systems
    before = _named(name, systems.loads())
    after = SystemLimits() if none else before.limits.changed_by(asked)
    load = systems.limit(before.system_id, after)
    if as_json:
        print_json(load)
    else:
        print(f"{load.names[0]} ({load.system_id}): limits {limits_text(load.limits)}")


def _named(name: str, loads: Sequence[SystemLoad]) -> SystemLoad:
    for load in loads:
        if name == load.system_id or name in load.names:
            return load
    raise NotFound(
        f"there is no system {name}.",
        remedy="`gradefarm systems list` shows the systems of this farm.",
    )


def _row(load: SystemLoad) -> tuple[object, ...]:
    return (
        ",".join(load.names),
        load.system_id,
        load.agent,
        load.running,
        load.queued,
        load.starts_last_minute,
        limits_text(load.limits),
        load.set_by,
    )
