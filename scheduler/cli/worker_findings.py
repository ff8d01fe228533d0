"""What the workers' side says of this machine: the answer of `gradefarm worker --probe --json`.

Asked in a process of its own, because the head never imports the hands, and because a probe starts
sandboxes.
"""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from models.schemas.base import Schema
from models.schemas.finding import Finding, Severity
from models.settings import Settings
from scheduler.embedded_farm.farm_processes import own_command

PATIENCE_S = 300


class ProbedAbility(Schema):
    """One thing that a sandbox must do, and whether a canary proved it here."""

    name: str
    ok: bool
    enforced_by: str
    remedy: str


class ProbedGap(Schema):
    """A language that can't be served here."""

    language: str
    problem: str
    remedy: str


class ProbedMemory(Schema):
    """The machine's memory, and what its stages may use; `shortage` says what is wrong."""

    has_mb: int
    stage_mb: int
    slots: int
    shortage: str


class WorkerProbe(Schema):
    """The answer of a worker's probe; `languages` maps an id to its toolchain."""

    isolation: str
    complete: bool
    abilities: tuple[ProbedAbility, ...]
    memory: ProbedMemory
    languages: dict[str, str]
    unready: tuple[ProbedGap, ...]


def worker_findings(settings: Settings) -> Iterator[Finding]:
    """Sandbox and toolchains of this machine. A worker that can't start at all is fatal."""
    command = own_command("worker", "--probe", "--json")
    try:
        asked = subprocess.run(
            command, check=False, capture_output=True, text=True, timeout=PATIENCE_S
        )
    except subprocess.TimeoutExpired:
        yield _fatal("sandbox", f"no answer within {PATIENCE_S} s", "Look at the machine's load.")
        return
    try:
        probe = WorkerProbe.model_validate_json(asked.stdout)
    except ValidationError:
        yield _refusal(asked.stderr)
        return
    yield from _sandbox(probe)
    yield _memory(probe.memory)
    yield from _toolchains(probe, settings.languages)


def _fatal(name: str, text: str, remedy: str) -> Finding:
    return Finding(area="worker", name=name, severity=Severity.FATAL, text=text, remedy=remedy)


def _refusal(stderr: str) -> Finding:
    """Why a worker does not start: its JSON error, or else its last words."""
    lines = stderr.strip().splitlines() or ["no answer"]
    try:
        error = json.loads(lines[-1])["error"]
        return _fatal("sandbox", str(error["message"]), str(error["remedy"]))
    except (ValueError, KeyError, TypeError):
        return _fatal("sandbox", lines[-1], "See `gradefarm worker --probe`.")


def _sandbox(probe: WorkerProbe) -> Iterator[Finding]:
    whole = "proved by trying every ability" if probe.complete else "NOT complete"
    yield Finding(
        area="sandbox",
        name="isolation",
        severity=Severity.FINE if probe.complete else Severity.LACK,
        text=f"{probe.isolation}: {whole}",
    )
    for ability in probe.abilities:
        yield Finding(
            area="sandbox",
            name=ability.name,
            severity=Severity.FINE if ability.ok else Severity.LACK,
            text=f"by {ability.enforced_by}" if ability.ok else "could not be enforced here",
            remedy=ability.remedy,
        )


def _memory(memory: ProbedMemory) -> Finding:
    """Too little makes memory bombs void that should fail."""
    return Finding(
        area="sandbox",
        name="memory for all",
        severity=Severity.LACK if memory.shortage else Severity.FINE,
        text=f"{memory.slots} stages of at most {memory.stage_mb} MiB in {memory.has_mb} MiB",
        remedy=memory.shortage,
    )


def _toolchains(probe: WorkerProbe, definitions: Path) -> Iterator[Finding]:
    if not probe.languages and not probe.unready:
        yield Finding(
            area="toolchains",
            name="languages",
            severity=Severity.FATAL,
            text=f"there is no language definition (*.toml) in {definitions}",
            remedy="Set GRADEFARM_LANGUAGES to a folder of language definitions, or unset it.",
        )
    severity = Severity.LACK if probe.languages else Severity.FATAL
    for language, toolchain in probe.languages.items():
        yield Finding(
            area="toolchains", name=language, severity=Severity.FINE, text=toolchain or "ready"
        )
    for gap in probe.unready:
        yield Finding(
            area="toolchains",
            name=gap.language,
            severity=severity,
            text=gap.problem,
            remedy=gap.remedy,
        )
