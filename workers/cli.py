"""`gradefarm worker`: run a worker in the foreground, or ask what this machine could serve."""

import importlib
import json
import os
from threading import Thread
from typing import TYPE_CHECKING, Annotated

import typer

from models.errors import Infrastructure
from models.pulse import SILENT_AFTER_S
from models.settings import Settings, allow_unisolated_runs, current_settings
from workers.pulse import silence
from workers.role import Role

if TYPE_CHECKING:
    from workers.machine_probe import Machine

SETUP = "workers.worker_setup"

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def worker(
    *,
    role: Annotated[Role, typer.Option(help="Which stages to work on.")] = Role.ALL,
    languages: Annotated[
        str, typer.Option(help="Comma-separated; empty: all that this machine can serve.")
    ] = "",
    concurrency: Annotated[
        int, typer.Option(min=0, max=256, help="Stages at once; 0: one for each processor.")
    ] = 0,
    name: Annotated[
        str, typer.Option(help="Empty: the role. One that is taken on this host gets a number.")
    ] = "",
    no_isolation: Annotated[
        bool,
        typer.Option(
            "--no-isolation",
            help="Work without a sandbox where none can be had; every result is marked.",
        ),
    ] = False,
    metrics_port: Annotated[
        int | None, typer.Option(min=0, max=65_535, help="Serve metrics there; 0: any port.")
    ] = None,
    probe: Annotated[bool, typer.Option("--probe", help="Only say what could be served.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="The probe's answer as JSON.")] = False,
    check: Annotated[
        str, typer.Option("--check", help="Only say whether the worker of that name lives here.")
    ] = "",
) -> None:
    """Run a worker in the foreground.

    It first proves the sandbox and every language on this machine, and takes no work that it
    could not do. Only the roles grade and all open the sealed half of a task.
    """
    if check:
        check_life(check)
        return
    if no_isolation:
        allow_unisolated_runs()
    settings = current_settings()
    only = tuple(part for part in languages.replace(" ", "").split(",") if part)
    machine = _look_at(settings, only, serves=not probe)
    slots = concurrency or os.cpu_count() or 1
    _tell(machine, slots, as_json=probe and as_json)
    if not probe:
        if metrics_port is not None:
            settings = settings.model_copy(update={"metrics_port": metrics_port})
        importlib.import_module(SETUP).serve(settings, role, machine, slots, name or role.value)


def _look_at(settings: Settings, only: tuple[str, ...], *, serves: bool) -> "Machine":
    # Not at the top: `--check` is asked every few seconds, and needs a file's age alone.
    from workers.machine_probe import probe_machine  # noqa: PLC0415

    if serves:
        # What serves takes a second to import, which passes beside the trials.
        Thread(target=importlib.import_module, args=(SETUP,), daemon=True).start()
    return probe_machine(settings, only, leave_compiled=serves)


def _tell(machine: "Machine", slots: int, *, as_json: bool) -> None:
    # Not at the top, as above.
    from workers.probe_answer import machine_record, machine_text  # noqa: PLC0415

    if as_json:
        print(json.dumps(machine_record(machine, slots)))
    else:
        print(machine_text(machine, slots), flush=True)


def check_life(name: str) -> None:
    """Say that a worker on this machine lives: that the file its main loop touches is young.

    Asks neither database nor broker: a worker outlives their outages. Raises Infrastructure where
    its main loop hangs, or it does not run."""
    seen = silence(current_settings().home, name)
    if seen is None or seen > SILENT_AFTER_S:
        found = "does not run here" if seen is None else f"was silent for {seen:.0f} s"
        raise Infrastructure(
            "farm", f"the worker {name} {found}.", remedy="Look at its log, and start it again."
        )
    print(f"{name} was seen {seen:.0f} s ago")
