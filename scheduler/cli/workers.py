"""`gradefarm workers`: who works, what each worker does, and what it is told to do."""

import time
from collections.abc import Sequence
from typing import Annotated

import typer

from models.clock import as_iso
from models.counted_nouns import counted
from models.errors import InputFault, InvalidInput
from models.plain_text import one_line
from models.schemas.worker import Duty, LanguageRest, WorkerRecord, WorkerState
from scheduler.cli.farm_access import JsonFlag, open_farm
from scheduler.cli.text_tables import columns, print_json
from scheduler.farm_access.farm import Workers

app = typer.Typer(
    rich_markup_mode=None,
    help="Who works, what each worker does; tell one to take no more work, or to go on.",
)
drain_all_app = typer.Typer(rich_markup_mode=None)

Named = Annotated[
    str, typer.Argument(metavar="NAME", help="A worker's name; without its host where that is one.")
]
Wait = Annotated[bool, typer.Option("--wait", help="Return when nothing is at work any more.")]
All = Annotated[bool, typer.Option("--all", help="Also those that are silent.")]
Reason = Annotated[str, typer.Option(help="For whoever looks at it later.")]
LOOK_EVERY_S = 0.5
BY_ITSELF = "worker"


@app.callback(invoke_without_command=True)
def workers(context: typer.Context, *, as_json: JsonFlag = False) -> None:
    """Who works, what each worker does; tell one to take no more work, or to go on.

    \b
      gradefarm workers
      gradefarm workers --json
    """
    if context.invoked_subcommand is None:
        _show(everyone=False, as_json=as_json)


@app.command("list")
def list_them(*, everyone: All = False, as_json: JsonFlag = False) -> None:
    """Workers that are alive, what they can do, and the runs that they have in work.

    \b
      gradefarm workers list
      gradefarm workers list --all --json
    """
    _show(everyone=everyone, as_json=as_json)


@app.command()
def drain(name: Named, *, wait: Wait = False) -> None:
    """Let a worker finish what it has and take no more, until it is resumed.

    It stays drained when it starts again.

    \b
      gradefarm workers drain agent@host-7
      gradefarm workers drain agent@host-7 --wait
    """
    force = open_farm().workers
    worker = force.tell(name, Duty.DRAIN, "")
    if wait:
        _wait_until_idle(force, [worker])
    done = "is drained" if wait else "takes no more work"
    print(f"{worker} {done}; go on with: gradefarm workers resume {worker}")


@app.command()
def resume(name: Named) -> None:
    """Let a drained or quarantined worker take work again, whoever stopped it.

    Its reason is forgotten. A worker that had quarantined itself does so again where none of its
    stages has a result.

    \b
      gradefarm workers resume agent@host-7
    """
    worker = open_farm().workers.tell(name, Duty.SERVE, "")
    print(f"{worker} takes work again")


@app.command()
def quarantine(name: Named, *, reason: Reason) -> None:
    """Keep a worker from taking work, with a reason, until it is resumed.

    What it has in work is finished. A worker also does this by itself, when none of its stages
    has a result while others' have; its restart, which proves it anew, then ends it.

    \b
      gradefarm workers quarantine grade@host-3 --reason "results differ from the others'"
    """
    if not reason.strip():
        fault = InputFault("--reason", "is empty", "say in a few words what is wrong")
        raise InvalidInput("the command line", [fault])
    worker = open_farm().workers.tell(name, Duty.QUARANTINE, reason.strip())
    print(f"{worker} is in quarantine; end it with: gradefarm workers resume {worker}")


@drain_all_app.command("drain")
def drain_all(*, wait: Wait = False) -> None:
    """Let every worker finish what it has and take no more, until it is resumed.

    Also those that quarantined themselves; what an operator put in quarantine stays there.

    \b
      gradefarm drain --wait
    """
    force = open_farm().workers
    names = force.tell_all(Duty.DRAIN)
    if wait:
        _wait_until_idle(force, names)
    word = "drained" if wait else "told to take no more work"
    listed = one_line(", ".join(names)) or "none is alive"
    print(f"{counted(len(names), 'worker')} {word}: {listed}")


def _wait_until_idle(force: Workers, names: Sequence[str]) -> None:
    while force.busy(names):
        time.sleep(LOOK_EVERY_S)


def _show(*, everyone: bool, as_json: bool) -> None:
    force = open_farm().workers.force(everyone=everyone)
    if as_json:
        told = {"workers": force.workers, "states": force.states, "in_work": force.in_work}
        print_json(told)
        return
    head = ("worker", "state", "roles", "slots", "languages", "isolation", "last beat", "in work")
    rows = [
        (
            one.name,
            force.states[one.name].value,
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
    for one in force.workers:
        for line in reasons(one, force.states[one.name]):
            print(one_line(line))
    if force.hint:
        print(force.hint)


def reasons(worker: WorkerRecord, state: WorkerState) -> list[str]:
    """Why a worker does not serve all that it could, one line for each reason."""
    lines: list[str] = []
    orders = worker.orders
    if orders.duty is not Duty.SERVE:
        by = "itself" if orders.by == BY_ITSELF else "an operator"
        why = f": {orders.reason}" if orders.reason else ""
        lines.append(f"{worker.name} is {state} by {by} since {as_iso(orders.since)}{why}")
    lines += [f"{worker.name} rests {_rest(one)}" for one in worker.rests]
    return lines


def _rest(rest: LanguageRest) -> str:
    detail = f", {rest.detail}" if rest.detail else ""
    return (
        f"in {rest.language} after {rest.voids} void stages in a row, last {rest.category} "
        f"(blamed: {rest.component}{detail}); tried again at {as_iso(rest.again_at)}"
    )
