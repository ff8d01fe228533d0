"""Writes the record of a run while it goes on, on the trusted side of the sandbox."""

import hashlib
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy.orm import Session

from models.canonical import canonical_bytes
from models.clock import Clock
from models.errors import FarmError
from models.records.blob_names import blob_of
from models.records.dsse import Envelope, read_envelope, seal
from models.records.event_chain import EventChain, Moment
from models.records.log_leaves import closing_leaf, leaf_name, open_leaf
from models.records.refusal import Reason, RecordRefused
from models.records.signing_keys import KeyRole, SigningKey
from models.records.statements import chained, record_payload, recorded_stage, stage_payload
from models.records.verdict_rules import RULES
from models.schemas.attempt import AgentResult
from models.schemas.check_report import CheckReport
from models.schemas.record_bodies import UniverseProof
from models.schemas.record_event import EventType
from models.schemas.record_statement import RunRecordPredicate, RunResult
from models.schemas.run import RunOrder, Stage
from models.schemas.stage_record import GradeStageRecord, OpenedRecord
from models.schemas.transcript import TranscriptStep
from models.storage.key_folder import KeyFolder
from models.storage.packed_lines import packed, unpacked
from models.storage.run_records import opened_record
from models.storage.transparency_log import enter_leaf, log_state
from workers.stage_events import graded, leased, opening, ordered, stage_closing, told_of_step
from workers.worker_log import log_event

FARM = "system"


@dataclass
class RecordKeys:
    """The keys of this worker, and the log that its farm keeps. `log` is asked for once;
    `complained` is what was said last of a key that can't be read."""

    folder: KeyFolder
    log: str = ""
    complained: str = ""

    def find(self, role: KeyRole, now: float) -> SigningKey | None:
        """The key of a role; None where there is none, or none that can be read, which the log of
        this process says once: work is not held up by it."""
        try:
            return self.folder.find(role)
        except FarmError as error:
            if error.message != self.complained:
                self.complained = error.message
                log_event("unrecorded", now, role=role.value, error=error.message)
            return None

    def named_log(self, session: Session) -> str:
        """The log by name, empty for a farm that keeps none."""
        if not self.log:
            state = log_state(session)
            self.log = "" if state is None else state.origin
        return self.log


@dataclass
class RunRecorder:
    """The events of one stage of a run, in one chain with those before it.

    A recorder signs with the `key` that its run.open names. A grader signs with the one that is
    in place at the end, since its key must be good when the log has the closing.
    """

    order: RunOrder
    chain: EventChain
    key: SigningKey
    keys: RecordKeys
    clock: Clock
    worker: str
    began: float
    open_entry: int = 0
    opened: OpenedRecord | None = None
    _noted: int = field(default=0, init=False)

    def note(
        self,
        kind: EventType,
        body: Mapping[str, Any],
        *,
        actor: tuple[str, str] | None = None,
        cause: int | None = None,
        ago_s: float = 0.0,
    ) -> int:
        """Append an event of `ago_s` seconds ago; returns its `seq`, to be the `cause` of others.

        `actor` is a kind and a name; without one it is the system under evaluation. What JSON
        can't hold exactly becomes text.
        """
        since = self.clock.monotonic() - self.began - ago_s
        at = Moment(round((self.clock.now() - ago_s) * 1000), round(since * 1000))
        return self.chain.add(kind, body, at, actor or ("agent", self.order.system.name), cause)

    def step(self, step: TranscriptStep, ago_s: float = 0.0) -> None:
        """Append a step of the transcript that began `ago_s` seconds ago."""
        self._noted += 1
        self.note(*told_of_step(step), ago_s=ago_s)

    def close_stage(self, result: AgentResult, steps: tuple[TranscriptStep, ...]) -> OpenedRecord:
        """The record of an agent stage, sealed; `steps` are all, noted already or not."""
        for step in steps[self._noted :]:
            self.step(step)
        for kind, body in stage_closing(result):
            self.note(kind, body, actor=(FARM, self.worker))
        lines = self.chain.lines
        nonce = _opening(lines)["nonce"]
        payload = stage_payload(lines, self.chain.run, nonce, result.snapshot)
        return OpenedRecord(
            recorded_run=self.order.run_id,
            open_entry=self.open_entry,
            lines=packed(lines),
            seal=_as_text(seal(payload, self.key)),
        )

    def close_run(
        self, report: CheckReport, document: bytes, result: RunResult, universe: UniverseProof
    ) -> GradeStageRecord | None:
        """The record of the whole run, sealed; None where the stage goes on from nothing, or
        the worker's key is gone.

        `document` is the report as it is kept, `universe` proves what was planned.
        """
        key = self.keys.find(KeyRole.GRADER, self.clock.now())
        if self.opened is None or key is None:
            return None
        for kind, body in graded(report):
            self.note(kind, body, actor=(FARM, self.worker))
        kept = blob_of(document, "application/json")
        verdict = {
            "universe": universe.model_dump(mode="json"),
            "rules": RULES.model_dump(),
            "report": kept,
            **result.model_dump(mode="json"),
        }
        self.note(EventType.VERDICT, verdict, actor=("rule", f"verdict {RULES.version}"))
        told = {"events": len(self.chain.lines) + 1, "status": "graded"}
        self.note(EventType.RUN_CLOSE, told, actor=(FARM, self.worker))
        predicate = self._predicate(self.opened, result)
        payload = record_payload(self.chain.lines, predicate, report.snapshot, str(kept["sha256"]))
        return _graded_record(self.opened, self.chain.lines, predicate, seal(payload, key))

    def _predicate(self, opened: OpenedRecord, result: RunResult) -> RunRecordPredicate:
        lines, order = self.chain.lines, self.order
        first = _opening(lines)
        why = "" if opened.grades_again is None else f"grades run {opened.grades_again} again"
        leaf = leaf_name(open_leaf(self.chain.run, first["attempt"], lines[0]))
        return RunRecordPredicate(
            run=self.chain.run,
            nonce=first["nonce"],
            chain=chained(lines),
            opened=leaf,
            stage=hashlib.sha256(_payload_of(opened.seal)).hexdigest(),
            rules=RULES,
            task=order.task,
            language=order.language,
            universe=order.universe,
            result=result,
            graded_as=str(order.run_id),
            earlier=opened.earlier,
            why=why,
        )


def begin_record(
    session: Session, order: RunOrder, keys: RecordKeys, clock: Clock, worker: str
) -> RunRecorder | None:
    """The recorder of a stage that was just claimed, in the same commit: what begins is in the log
    before anything of it starts.

    None where this worker has no key for the stage, the farm keeps no log, or the stage before
    left no record.
    """
    role = KeyRole.RECORDER if order.stage is Stage.AGENT else KeyRole.GRADER
    key = keys.find(role, clock.now())
    if key is None or not keys.named_log(session):
        return None
    if order.stage is Stage.AGENT:
        return _agent_recorder(session, order, key, keys, clock, worker)
    opened = opened_record(session, order.run_id)
    if opened is None:
        return None
    try:
        lines = _lines_before(order, opened)
    except RecordRefused as error:
        # Another worker wrote them: what it is worth is graded all the same, and not signed.
        log_event("unrecorded", clock.now(), run=order.run_id, error=error.message)
        return None
    chain = EventChain(str(opened.recorded_run), "grader", lines)
    recorder = RunRecorder(order, chain, key, keys, clock, worker, clock.monotonic(), opened=opened)
    recorder.note(EventType.LEASE, leased(order, worker), actor=(FARM, worker))
    return recorder


def _lines_before(order: RunOrder, opened: OpenedRecord) -> list[bytes]:
    """The lines of the agent stage. Raises RecordRefused where they are not what was signed, or
    were opened for anything else than what is graded."""
    lines = unpacked(opened.lines)
    recorded_stage(lines, str(opened.recorded_run), _payload_of(opened.seal))
    mine, theirs = ordered(order), _opening(lines)
    for what, mine_is in mine.items():
        # As bytes: Python holds true for 1.
        if canonical_bytes(theirs.get(what)) != canonical_bytes(mine_is):
            raise RecordRefused(
                Reason.CONTRADICTION,
                f"the {what} of run {opened.recorded_run} is another one in its run.open than in "
                "the order to grade it.",
            )
    return lines


def _agent_recorder(
    session: Session,
    order: RunOrder,
    key: SigningKey,
    keys: RecordKeys,
    clock: Clock,
    worker: str,
) -> RunRecorder:
    chain = EventChain(str(order.run_id), "recorder")
    recorder = RunRecorder(order, chain, key, keys, clock, worker, clock.monotonic())
    body = opening(order, worker, keys.log, secrets.token_hex(16), key.id)
    recorder.note(EventType.RUN_OPEN, body, actor=(FARM, worker))
    leaf = open_leaf(chain.run, order.token, chain.lines[0])
    recorder.open_entry = enter_leaf(session, leaf)
    recorder.note(EventType.LEASE, leased(order, worker), actor=(FARM, worker))
    return recorder


def _graded_record(
    opened: OpenedRecord, lines: list[bytes], predicate: RunRecordPredicate, sealed: Envelope
) -> GradeStageRecord:
    of_agent = len(unpacked(opened.lines))
    return GradeStageRecord(
        opened=opened,
        lines=packed(lines[of_agent:]),
        seal=_as_text(sealed),
        leaf=closing_leaf(predicate, sealed.payload),
        digest=hashlib.sha256(sealed.payload).hexdigest(),
    )


def _opening(lines: list[bytes]) -> dict[str, Any]:
    return json.loads(lines[0])["body"]


def _as_text(envelope: Envelope) -> str:
    return json.dumps(envelope.as_json(), separators=(",", ":"))


def _payload_of(sealed: str) -> bytes:
    return read_envelope(sealed).payload
