"""What the stages of a run tell its record, as bodies of events. Pure."""

from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from typing import Any

from models.records.blob_names import TEXT, blob_of, shortened
from models.schemas.attempt import AgentResult
from models.schemas.check_report import CheckEvidence, CheckReport
from models.schemas.record_event import EventType
from models.schemas.run import RunOrder
from models.schemas.transcript import TOLD_BY_AGENT, StepKind, TranscriptStep
from models.verdicts import StopReason

OF_STEP: dict[StepKind, EventType] = {
    "command": EventType.COMMAND,
    "edit": EventType.FILE_EDIT,
    "message": EventType.MESSAGE,
    "note": EventType.NOTE,
    "limit": EventType.LIMIT,
    "model_call": EventType.MODEL_CALL,
    "tool_call": EventType.TOOL_CALL,
    "decision": EventType.DECISION,
}
OWN_END = (StopReason.DONE, StopReason.DONE_GATE, StopReason.AGENT_CRASHED)
"""Why an agent stops that no limit stopped."""
Told = tuple[EventType, dict[str, Any]]


@cache
def farm_version() -> str:
    """The version of this code; asking for it reads files."""
    return version("gradefarm")


def opening(order: RunOrder, worker: str, log: str, nonce: str, key: str) -> dict[str, Any]:
    """The run.open of an attempt: all that is to be known before the work starts."""
    return {
        "nonce": nonce,
        "log": log,
        "attempt": order.token,
        "number": order.attempt_number,
        "campaign": order.campaign_id,
        **ordered(order),
        "universe": order.universe,
        "public": order.public_digest,
        "limits": shortened(order.limits.model_dump(mode="json", exclude_none=True)),
        "recorder": {"key": key, "worker": worker, "version": farm_version()},
    }


def ordered(order: RunOrder) -> dict[str, Any]:
    """Who is to do what: it stays the same when the work is graded, and graded again."""
    return {
        "system": {
            "name": order.system.name,
            "agent": order.system.agent,
            "id": order.system.id,
        },
        "task": order.task,
        "language": order.language,
        "repeat": order.repeat,
    }


def leased(order: RunOrder, worker: str) -> dict[str, Any]:
    """A worker took the lease of a stage."""
    return {
        "stage": order.stage.value,
        "change": "taken",
        "token": order.token,
        "number": order.attempt_number,
        "worker": worker,
    }


def told_of_step(step: TranscriptStep) -> Told:
    """One step of the transcript. Long texts stand in blobs, which the transcript holds."""
    body: dict[str, Any] = {"text": shortened(step.text)}
    if step.exit_code is not None:
        body["exit"] = step.exit_code
    data = dict(step.data)
    if step.output_artifact:
        size = data.pop("output_bytes", None)
        body["out"] = _kept(step.output_artifact, size)
    elif step.output:
        body["out"] = blob_of(step.output.encode("utf-8", "replace"))
    if data:
        body["data"] = shortened(data)
    if data.get("told_by") == TOLD_BY_AGENT:
        # What a program of the sandbox says of itself is no deed that the farm saw.
        return OF_STEP["note"], body | {"claim": step.kind}
    return OF_STEP[step.kind], body


def _kept(digest: str, size: object) -> dict[str, Any]:
    name = digest.removeprefix("sha256:")
    known = {"sha256": name, "media": TEXT}
    return {**known, "size": size} if isinstance(size, int) else known


def stage_closing(result: AgentResult) -> Iterator[Told]:
    """How the agent stage ended, and what it left."""
    if result.stop_reason not in OWN_END:
        yield EventType.LIMIT, {"reached": result.stop_reason.value}
    used = result.resources
    yield (
        EventType.STAGE_CLOSE,
        {
            "stop": result.stop_reason.value,
            "changed": result.changed,
            "snapshot": result.snapshot,
            "transcript": result.transcript,
            "cost_microusd": result.cost_microusd,
            "tokens": result.tokens,
            "wall_ms": _ms(used.wall_s),
            "cpu_ms": _ms(used.cpu_s),
            "peak_memory_bytes": used.peak_memory_bytes,
            "toolchain": result.toolchain,
            "isolation": result.isolation,
        },
    )


def graded(report: CheckReport) -> Iterator[Told]:
    """The build and every check, in plan order; never what was expected."""
    build = report.build
    yield (
        EventType.BUILD,
        {
            "needed": build.needed,
            "ok": build.ok,
            "outcome": build.outcome.value,
            "cached": build.cached,
            **_evidence(build.evidence),
        },
    )
    for check in report.checks:
        yield (
            EventType.CHECK,
            {
                "id": check.id,
                "outcome": check.outcome.value,
                **_evidence(check.evidence),
            },
        )


def _evidence(evidence: CheckEvidence | None) -> dict[str, Any]:
    """How a program ended. Not by what digest its output is known: what a program printed in a
    hidden check that it passed is the answer, and short answers are found by guessing. The report
    holds it, under a digest that chance has a part in."""
    if evidence is None:
        return {"ending": "", "differs": False}
    return {
        "ending": evidence.ending,
        "differs": bool(evidence.difference),
        "exit": evidence.exit_code,
        "wall_ms": _ms(evidence.wall_s),
        "cpu_ms": _ms(evidence.cpu_s),
        "stdout_bytes": evidence.stdout_bytes,
        "stderr_bytes": evidence.stderr_bytes,
    }


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
