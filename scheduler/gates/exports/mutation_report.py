"""Planted faults as mutants, in the mutation testing report schema, version 2. Pure.

A fault is a mutant, a check is a test. `Killed` is what the gate counts as caught, and nothing
else: a fault that only crashed, or did not build, is a `RuntimeError` or a `CompileError`.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from models.schemas.gate import ParityDecision, SubjectRow, fault_subject
from models.schemas.task import Fault, TaskManifest
from models.verdicts import CheckOutcome
from scheduler.gates.fault_places import FaultPlace
from scheduler.gates.subject_claims import caught_by

SCHEMA = "2.0"
THRESHOLDS = {"high": 100, "low": 100}
"""One fault that survives is one too many."""


@dataclass(frozen=True, slots=True)
class FaultSources:
    """Where the faults of one variant are planted, by fault id.

    `files` holds the reference's text by path. It is the answer key: leave it empty in a report
    that goes to people who must not see it, and lines are told, but not what stands there.
    """

    places: Mapping[str, FaultPlace]
    files: Mapping[str, str] = field(default_factory=dict[str, str])


Variant = tuple[str, str]
"""Task, language."""


def mutation_report(
    decisions: Sequence[ParityDecision],
    manifests: Mapping[str, TaskManifest],
    sources: Mapping[Variant, FaultSources],
) -> dict[str, object]:
    """The report as JSON types. `manifests` by task, `sources` by (task, language)."""
    files: dict[str, dict[str, object]] = {}
    mutants: defaultdict[str, list[object]] = defaultdict(list)
    for decision in decisions:
        known = sources[decision.task, decision.language]
        for fault in manifests[decision.task].faults:
            place = known.places.get(fault.id)
            if place is None:
                continue
            path = f"{decision.task}/{decision.language}/{place.file}"
            files[path] = {
                "language": decision.language.partition("-")[0],
                "source": known.files.get(place.file, ""),
                "mutants": mutants[path],
            }
            mutants[path].append(_mutant(decision, fault, place, shown=bool(known.files)))
    return {
        "schemaVersion": SCHEMA,
        "thresholds": THRESHOLDS,
        "framework": {"name": "gradefarm"},
        "files": files,
        "testFiles": {
            f"{task}/checks": {"tests": _tests(manifest)} for task, manifest in manifests.items()
        },
    }


def _tests(manifest: TaskManifest) -> list[dict[str, str]]:
    return [
        {"id": _test_id(manifest.id, check.id), "name": f"{check.id}: {check.title}"}
        for check in manifest.checks
    ]


def _test_id(task: str, check: str) -> str:
    return f"{task}/{check}"


def _mutant(
    decision: ParityDecision, fault: Fault, place: FaultPlace, *, shown: bool
) -> dict[str, object]:
    row = next((row for row in decision.rows if row.subject == fault_subject(fault.id)), None)
    reasons = [
        reason.text for reason in decision.reasons if reason.subject == fault_subject(fault.id)
    ]
    mutant: dict[str, object] = {
        "id": f"{decision.task}/{decision.language}/{fault.id}",
        "mutatorName": fault.kind.value,
        "description": fault.title,
        "location": {
            "start": {"line": place.first, "column": 1},
            "end": {"line": place.end, "column": 1},
        },
        "status": mutant_status(fault, row),
        "killedBy": [_test_id(decision.task, check) for check in _killers(fault, row)],
        "coveredBy": [_test_id(decision.task, check) for check in decision.checks],
    }
    if reasons:
        mutant["statusReason"] = "\n".join(reasons)
    if shown:
        mutant["replacement"] = place.replacement
    return mutant


def mutant_status(fault: Fault, row: SubjectRow | None) -> str:
    """The status of a fault in the words of the schema.

    `Timeout` where only timeouts caught it and its kind allows them; `Pending` without evidence.
    """
    if row is None or not row.outcomes:
        return "Pending"
    if not row.built:
        return "CompileError"
    failed = {row.outcomes[check] for check in fault.required if check in row.outcomes}
    if failed == {CheckOutcome.TIMEOUT} and CheckOutcome.TIMEOUT in caught_by(fault.kind):
        return "Timeout"
    if set(_killers(fault, row)) >= set(fault.required):
        return "Killed"
    return "RuntimeError" if failed - {CheckOutcome.PASSED, CheckOutcome.WRONG} else "Survived"


def _killers(fault: Fault, row: SubjectRow | None) -> list[str]:
    counted = caught_by(fault.kind)
    outcomes = row.outcomes if row else {}
    return [check for check, outcome in outcomes.items() if outcome in counted]
