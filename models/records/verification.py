"""Checks a whole record against a trust policy, without the farm. Pure.

One function for each promise, so that a test can take each away and see an attack get through.
"""

import hashlib
from dataclasses import dataclass

from models.records.agreement import Parties, refuse_contradictions
from models.records.blob_names import named_blobs, refuse_altered
from models.records.decisive_events import DecisiveEvents, decisive_events
from models.records.dsse import signer_of
from models.records.event_chain import read_chain, split_lines
from models.records.log_leaves import closing_leaf, leaf_name, open_leaf
from models.records.log_proof import LogProof, is_proved, read_proof
from models.records.merkle import leaf_hash
from models.records.record_files import CLOSED, OPENED, RecordFiles
from models.records.refusal import Reason, RecordRefused
from models.records.signed_note import Checkpoint, verify_checkpoint
from models.records.statements import (
    AGENT_EVENTS,
    EVENTS,
    REPORT,
    SNAPSHOT,
    chained,
    events_subject,
    read_statement,
)
from models.records.told_report import refuse_other_report
from models.records.universe_proof import refuse_other_universe
from models.records.verdict_rules import RULES, recomputed
from models.schemas.record_event import EventType, RecordEvent
from models.schemas.record_statement import (
    AgentStageStatement,
    RunRecordPredicate,
    RunRecordStatement,
)
from models.schemas.trust import TrustedKey, TrustPolicy
from models.verdicts import CheckOutcome, Verdict


@dataclass(frozen=True, slots=True)
class VerifiedRecord:
    """What a record proves."""

    run: str
    log: str
    digest: str
    """SHA-256 of what the grader signed."""
    verdict: Verdict
    undelivered: bool
    graded_as: str
    why: str
    opened_at: int
    closed_at: int
    log_size: int
    task: str
    language: str
    universe: str
    system: str
    passed_checks: int
    planned_checks: int
    signers: tuple[str, str]
    events: int
    blobs: int
    withheld: int


@dataclass(frozen=True, slots=True)
class _Sealed:
    """Both statements as they were signed, and who did."""

    stage: AgentStageStatement
    record: RunRecordStatement
    stage_payload: bytes
    record_payload: bytes
    recorder: TrustedKey
    grader: TrustedKey

    @property
    def predicate(self) -> RunRecordPredicate:
        return self.record.predicate

    def parties(self, run: str, folder: str, log: str) -> Parties:
        return Parties(run, folder, self.stage, self.record, self.recorder.id, log)


@dataclass(frozen=True, slots=True)
class _Logged:
    """Where the log has the two leaves of a record."""

    opened: LogProof
    closed: LogProof
    checkpoint: Checkpoint


def verify_record(files: RecordFiles, trust: TrustPolicy) -> VerifiedRecord:
    """Everything that the record proves. Raises RecordRefused with the first reason against it."""
    sealed = open_seals(files, trust)
    refuse_other_events(files, sealed)
    lines = split_lines(files.events)
    events = read_chain(lines)
    refuse_unended(events)
    refuse_other_chain(lines, events, sealed)
    refuse_other_rules(sealed)
    decisive = decisive_events(events)
    refuse_contradictions(decisive, sealed.parties(events[0].run, files.run, trust.log))
    refuse_unplanned(decisive, sealed)
    refuse_other_verdict(decisive, sealed)
    logged = read_proofs(files, trust)
    refuse_unlogged(lines, decisive.opened.attempt, sealed, logged)
    refuse_late_opening(logged)
    refuse_keys_out_of_time(sealed, logged)
    named = named_blobs(events)
    refuse_altered(files.blobs, named)
    refuse_other_report(files.blobs, decisive, sealed.predicate)
    predicate = sealed.predicate
    return VerifiedRecord(
        run=predicate.run,
        log=trust.log,
        digest=hashlib.sha256(sealed.record_payload).hexdigest(),
        verdict=predicate.result.verdict,
        undelivered=predicate.result.undelivered,
        graded_as=predicate.graded_as,
        why=predicate.why,
        opened_at=logged.opened.index,
        closed_at=logged.closed.index,
        log_size=logged.checkpoint.size,
        task=predicate.task,
        language=predicate.language,
        universe=predicate.universe,
        system=str(decisive.opened.system.get("name", "")),
        passed_checks=_passed(decisive),
        planned_checks=len(decisive.checks),
        signers=(sealed.recorder.id, sealed.grader.id),
        events=len(events),
        blobs=len(files.blobs),
        withheld=len(named) - len(files.blobs),
    )


def _passed(decisive: DecisiveEvents) -> int:
    return sum(check.outcome is CheckOutcome.PASSED for _, check in decisive.checks)


class Gradings:
    """The records that were handed in until now: a run counts once."""

    def __init__(self) -> None:
        self._closed: dict[tuple[str, str], int] = {}
        self._opened: dict[tuple[str, str], int] = {}

    def take(self, one: VerifiedRecord) -> None:
        """Raises RecordRefused (seen_twice) for a run that was handed in before, under another
        opening, or graded again under one number."""
        closed = self._closed.get((one.log, one.graded_as))
        if closed is not None:
            raise _twice(one, f"closed at {closed} and at {one.closed_at}")
        opened = self._opened.get((one.log, one.run), one.opened_at)
        if opened != one.opened_at:
            raise _twice(one, f"opened at {opened} and at {one.opened_at}")
        self._closed[one.log, one.graded_as] = one.closed_at
        self._opened[one.log, one.run] = one.opened_at


def _twice(one: VerifiedRecord, how: str) -> RecordRefused:
    return RecordRefused(
        Reason.SEEN_TWICE, f"run {one.graded_as} was handed in twice, {how} of the log."
    )


def open_seals(files: RecordFiles, trust: TrustPolicy) -> _Sealed:
    """Both statements, each signed by a trusted key of its role."""
    recorder, grader = files.envelopes
    return _Sealed(
        recorder=signer_of(recorder, trust.keys, "recorder"),
        grader=signer_of(grader, trust.keys, "grader"),
        stage=read_statement(recorder.payload, AgentStageStatement),
        record=read_statement(grader.payload, RunRecordStatement),
        stage_payload=recorder.payload,
        record_payload=grader.payload,
    )


def refuse_other_events(files: RecordFiles, sealed: _Sealed) -> None:
    """The grader signed exactly these bytes."""
    digest = hashlib.sha256(files.events).hexdigest()
    said = [one.digest.sha256 for one in sealed.record.subject if one.name == EVENTS]
    if said != [digest]:
        raise RecordRefused(
            Reason.EVENTS_DIGEST,
            "events.jsonl is not what the grader signed: it was edited, cut or reordered.",
        )


def refuse_unended(events: list[RecordEvent]) -> None:
    """A record begins with run.open, and ends with a run.close that counts its events."""
    if events[0].type != EventType.RUN_OPEN:
        raise RecordRefused(Reason.NO_OPEN, "the first event is no run.open.")
    last = events[-1]
    if last.type != EventType.RUN_CLOSE or last.body.get("events") != len(events):
        raise RecordRefused(
            Reason.NO_CLOSE,
            f"the last of {len(events)} events is no run.close that counts them: "
            "the record was cut.",
        )


def refuse_other_chain(lines: list[bytes], events: list[RecordEvent], sealed: _Sealed) -> None:
    """Recorder and grader signed this chain of one run: the recorder as far as it saw it."""
    stage, whole = sealed.stage.predicate, sealed.predicate
    seen = lines[: stage.chain.events]
    subject = events_subject(AGENT_EVENTS, seen)
    if stage.chain != chained(seen) or subject not in sealed.stage.subject:
        raise _statement("the recorder signed other events of the agent stage")
    if whole.chain != chained(lines):
        raise _statement("the grader signed another chain")
    if [event.src for event in events] != ["recorder"] * len(seen) + ["grader"] * (
        len(lines) - len(seen)
    ):
        raise _statement("an event is not of the source that signed it")
    if events[len(seen) - 1].type != EventType.STAGE_CLOSE:
        raise _statement("the recorder's events end without a stage.close")
    _refuse_subjects(sealed)
    if whole.stage != hashlib.sha256(sealed.stage_payload).hexdigest():
        raise _statement("the grader graded another agent stage than the recorder signed")


def _refuse_subjects(sealed: _Sealed) -> None:
    """Each statement is about what it must be about, each thing once."""
    demanded = (
        ("recorder", sealed.stage.subject, (AGENT_EVENTS, SNAPSHOT)),
        ("grader", sealed.record.subject, (EVENTS, SNAPSHOT, REPORT)),
    )
    for role, subjects, names in demanded:
        if tuple(one.name for one in subjects) != names:
            raise _statement(f"the {role}'s statement is not about {', '.join(names)}, each once")


def refuse_other_rules(sealed: _Sealed) -> None:
    """The verdict was made by the rules of this very verifier."""
    rules = sealed.predicate.rules
    if rules != RULES:
        raise RecordRefused(
            Reason.RULES,
            f"made by rules {rules.version} ({rules.digest[:12]}), this verifier has rules "
            f"{RULES.version} ({RULES.digest[:12]}).",
            remedy="Install the version of gradefarm that has these rules, and verify with it.",
        )


def refuse_unplanned(decisive: DecisiveEvents, sealed: _Sealed) -> None:
    """The plan of the checks is that of the universe which the grader signed."""
    whole = sealed.predicate
    proof = decisive.verdict.universe
    refuse_other_universe(proof, whole.universe, whole.task, whole.rules.version)


def refuse_other_verdict(decisive: DecisiveEvents, sealed: _Sealed) -> None:
    """The signed result is what the rules make of the events."""
    outcome, said = recomputed(decisive), sealed.predicate.result
    if (outcome.verdict, outcome.undelivered) != (said.verdict, said.undelivered):
        raise RecordRefused(
            Reason.VERDICT,
            f"signed is {_told(said.verdict, said.undelivered)}, but the events make it "
            f"{_told(outcome.verdict, outcome.undelivered)}.",
        )


def _told(verdict: Verdict, undelivered: bool) -> str:
    return f"{verdict.value}, undelivered" if undelivered else verdict.value


def read_proofs(files: RecordFiles, trust: TrustPolicy) -> _Logged:
    """Both proofs, against one checkpoint that the log signed."""
    closed, opened = read_proof(files.closed, CLOSED), read_proof(files.opened, OPENED)
    if closed.checkpoint != opened.checkpoint:
        raise RecordRefused(Reason.CHECKPOINT, "the two proofs are against two checkpoints.")
    return _Logged(opened, closed, verify_checkpoint(closed.checkpoint, trust))


def refuse_unlogged(lines: list[bytes], attempt: int, sealed: _Sealed, logged: _Logged) -> None:
    """The log holds the opening and the closing of exactly this record."""
    whole = sealed.predicate
    opening = open_leaf(whole.run, attempt, lines[0])
    closing = closing_leaf(whole, sealed.record_payload)
    if not is_proved(leaf_hash(closing.encode()), logged.closed, logged.checkpoint):
        raise RecordRefused(
            Reason.NOT_IN_LOG, "the proof does not lead from this record to the log."
        )
    proved = is_proved(leaf_hash(opening.encode()), logged.opened, logged.checkpoint)
    if not proved or whole.opened != leaf_name(opening):
        raise RecordRefused(
            Reason.OPEN_NOT_IN_LOG, "the log does not hold the opening of this very run."
        )


def refuse_late_opening(logged: _Logged) -> None:
    """The log had the opening before the closing."""
    if logged.opened.index >= logged.closed.index:
        raise RecordRefused(
            Reason.OPENED_TOO_LATE, "the run was opened in the log after it was closed."
        )


def refuse_keys_out_of_time(sealed: _Sealed, logged: _Logged) -> None:
    """Each key was good where it was used: by the order of the log, which no clock can change.

    A recorder's key must be when the run was opened, since a rotation may fall into the run, and a
    grader's when it was closed. What a revoked key signed must have been closed before that.
    """
    uses = ((sealed.recorder, logged.opened.index), (sealed.grader, logged.closed.index))
    for key, position in uses:
        if not key.covers(position):
            raise RecordRefused(
                Reason.KEY_WINDOW,
                f"{key.id} was used at position {position} of the log, and is good from "
                f"{key.first} until {'now' if key.until is None else key.until}.",
                remedy=_mended(key),
            )
        if key.revoked and not key.covers(logged.closed.index):
            raise RecordRefused(
                Reason.KEY_REVOKED,
                f"{key.id} was revoked at position {key.until}, before this record was closed.",
                remedy=_mended(key),
            )


def _mended(key: TrustedKey) -> str:
    """What helps against a key that was not good: a grading can be made again from the agent's
    stage, whose own signature no grading makes again."""
    again = {
        "recorder": "run it again in a new campaign: the agent's stage can't be signed again.",
        "grader": "grade the run again (`gradefarm regrade`).",
    }
    return (
        f"Don't use this record. Let the farm's owner see that the workers have a {key.role} key "
        f"that is good now (`gradefarm keys list`, else `gradefarm keys rotate {key.role}`), and "
        f"{again[key.role]}"
    )


def _statement(problem: str) -> RecordRefused:
    return RecordRefused(Reason.STATEMENT, f"{problem}.")
