"""Writes and reads what recorder and grader sign."""

import hashlib
from typing import Any, TypeVar, cast

from pydantic import ValidationError

from models.canonical import canonical_bytes
from models.records.canonical_lines import read_canonical
from models.records.event_chain import joined, line_digest
from models.records.merkle import leaf_hash, root_of
from models.records.refusal import Reason, RecordRefused, first_fault
from models.schemas.record_statement import (
    AGENT_STAGE,
    RUN_RECORD,
    STATEMENT,
    AgentStagePredicate,
    AgentStageStatement,
    Chained,
    RunRecordPredicate,
    RunRecordStatement,
    Sha256,
    Subject,
)

AGENT_EVENTS, EVENTS, SNAPSHOT, REPORT = (
    *("events.jsonl#agent", "events.jsonl"),
    *("snapshot", "check-report"),
)
Statement = TypeVar("Statement", AgentStageStatement, RunRecordStatement)


def chained(lines: list[bytes]) -> Chained:
    """What is signed of a chain."""
    root = root_of([leaf_hash(line) for line in lines])
    return Chained(events=len(lines), head=line_digest(lines[-1]), root=root.hex())


def stage_payload(lines: list[bytes], run: str, nonce: str, snapshot: str) -> bytes:
    """What the recorder signs when the agent stage is frozen as the artifact `snapshot`."""
    return _bytes_of(
        AgentStageStatement(
            _type=STATEMENT,
            predicateType=AGENT_STAGE,
            subject=(events_subject(AGENT_EVENTS, lines), _artifact(SNAPSHOT, snapshot)),
            predicate=AgentStagePredicate(run=run, nonce=nonce, chain=chained(lines)),
        )
    )


def record_payload(
    lines: list[bytes], predicate: RunRecordPredicate, snapshot: str, report: str
) -> bytes:
    """What the grader signs when the run is graded; `report` is the artifact of its checks."""
    subjects = (
        events_subject(EVENTS, lines),
        _artifact(SNAPSHOT, snapshot),
        _artifact(REPORT, report),
    )
    return _bytes_of(
        RunRecordStatement(
            _type=STATEMENT, predicateType=RUN_RECORD, subject=subjects, predicate=predicate
        )
    )


def recorded_stage(lines: list[bytes], run: str, payload: bytes) -> AgentStagePredicate:
    """What a recorder says in `payload` of the agent stage of a run that these lines tell of.

    Raises RecordRefused where it speaks of another run, another opening or other lines.
    """
    said = read_statement(payload, AgentStageStatement).predicate
    body = read_canonical(lines[0], "the first line").get("body")
    opening = cast("dict[str, Any]", body) if isinstance(body, dict) else {}
    named = (run, opening.get("nonce"), chained(lines))
    if (said.run, said.nonce, said.chain) != named or type(opening.get("attempt")) is not int:
        raise RecordRefused(
            Reason.EVENTS_DIGEST, f"the agent stage of run {run} is not what its recorder signed."
        )
    return said


def events_subject(name: str, lines: list[bytes]) -> Subject:
    """The subject that stands for these lines as a file."""
    digest = hashlib.sha256(joined(lines)).hexdigest()
    return Subject(name=name, digest=Sha256(sha256=digest))


def read_statement(payload: bytes, kind: type[Statement]) -> Statement:
    """Read a signed payload. Raises RecordRefused (not_canonical, statement)."""
    read_canonical(payload, f"the signed {kind.__name__}")
    try:
        return kind.model_validate_json(payload, strict=True)
    except ValidationError as error:
        raise RecordRefused(
            Reason.STATEMENT,
            f"what was signed is not a {kind.__name__}: {first_fault(error)}.",
        ) from error


def _artifact(name: str, digest: str) -> Subject:
    return Subject(name=name, digest=Sha256(sha256=digest.removeprefix("sha256:")))


def _bytes_of(statement: AgentStageStatement | RunRecordStatement) -> bytes:
    return canonical_bytes(statement.model_dump(mode="json", by_alias=True))
