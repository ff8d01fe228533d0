"""`gradefarm worker`: run a worker in the foreground, or ask what this machine could serve."""

import importlib
import json
import os
from collections.abc import Iterator
from threading import Thread
from typing import Annotated

import typer

from models.errors import Infrastructure
from models.pulse import SILENT_AFTER_S
from models.settings import allow_unisolated_runs, current_settings
from workers.machine_probe import Machine, probe_machine
from workers.pulse import silence
from workers.role import Role

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
    if not probe:
        Thread(target=importlib.import_module, args=(SETUP,), daemon=True).start()
    machine = probe_machine(settings, only, leave_compiled=not probe)
    slots = concurrency or os.cpu_count() or 1
    _tell(machine, slots, as_json=probe and as_json)
    if not probe:
        if metrics_port is not None:
            settings = settings.model_copy(update={"metrics_port": metrics_port})
        # Database and Celery take a second to import, which passes beside the trials above.
        importlib.import_module(SETUP).serve(settings, role, machine, slots, name or role.value)


def _tell(machine: Machine, slots: int, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(machine_record(machine, slots)))
    else:
        print(machine_text(machine, slots), flush=True)


def check_life(name: str) -> None:
    """Say that a worker on this machine lives. Raises Infrastructure where its main loop hangs, or
    it does not run."""
    seen = silence(current_settings().home, name)
    if seen is None or seen > SILENT_AFTER_S:
        found = "does not run here" if seen is None else f"was silent for {seen:.0f} s"
        raise Infrastructure(
            "farm", f"the worker {name} {found}.", remedy="Look at its log, and start it again."
        )
    print(f"{name} was seen {seen:.0f} s ago")


def machine_record(machine: Machine, slots: int) -> dict[str, object]:
    """A probe as a JSON object: isolation, complete, abilities, memory, languages, unready."""
    return {
        "isolation": machine.isolation_label,
        "complete": machine.isolation.complete,
        "abilities": [
            {"name": a.name, "ok": a.ok, "enforced_by": a.enforced_by, "remedy": a.remedy}
            for a in machine.isolation.abilities
        ],
        "memory": {
            "has_mb": machine.memory.has_mb,
            "stage_mb": machine.memory.stage_mb,
            "slots": slots,
            "shortage": machine.memory.shortage(slots),
        },
        "languages": {name: text for name, text, _ in _served(machine)},
        "unready": [
            {"language": u.language, "problem": u.problem, "remedy": u.remedy}
            for u in machine.unready
        ],
    }


def _served(machine: Machine) -> Iterator[tuple[str, str, bool]]:
    """Each language with what people read of it, and whether it could be proved at once."""
    for name, runtime in machine.languages.items():
        yield name, runtime.identity, True
    for name, runtime in machine.cold.items():
        when = "in the background" if runtime.is_warm else "when a worker has warmed its cache"
        yield name, f"{runtime.identity}, proved {when}", False


def machine_text(machine: Machine, slots: int) -> str:
    """A probe for people, one line for each thing found or missing."""
    shortage = machine.memory.shortage(slots)
    lines = [f"sandbox   {machine.isolation_label}"]
    lines += [
        f"  lacks   {ability.name}: {ability.remedy}" for ability in machine.isolation.missing()
    ]
    lines += [f"memory    {shortage}"] if shortage else []
    lines += [
        f"{'ready' if is_ready else 'warming':<9} {name} ({text})"
        for name, text, is_ready in _served(machine)
    ]
    lines += [f"missing   {u.language}: {u.problem} {u.remedy}".rstrip() for u in machine.unready]
    return "\n".join(lines)
