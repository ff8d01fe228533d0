"""Records as a farm writes them, and as somebody with more or fewer keys would forge them."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from models.canonical import canonical_bytes
from models.records.blob_names import blob_of
from models.records.dsse import Envelope, seal
from models.records.event_chain import EventChain, Moment, joined
from models.records.log_leaves import closing_leaf, leaf_name, open_leaf
from models.records.log_proof import LogProof
from models.records.merkle import inclusion_path, leaf_hash, nodes_of, root_of
from models.records.record_files import RecordFiles, seals_bytes
from models.records.signed_note import Checkpoint, signed_checkpoint
from models.records.signing_keys import KeyRole, SigningKey, new_key
from models.records.statements import chained, record_payload, stage_payload
from models.records.universe_proof import plan_part, rules_part, task_part, universe_of
from models.records.verdict_rules import RULES
from models.schemas.record_event import EventType
from models.schemas.record_statement import Rules, RunRecordPredicate, RunResult
from models.schemas.trust import TrustedKey, TrustPolicy
from models.verdicts import Verdict

LOG = "gradefarm.test/log"
SNAPSHOT = "sha256:" + "5" * 64
OUTPUT = b"12 passed\n" * 1_000
TASK, KIND = "breaker", "ticket"
PLAN = (("c0", "visible"), ("c1", "hidden"))
PARTS = {
    **{"task": task_part(KIND, TASK), "plan": plan_part(PLAN)},
    **{"rules": rules_part(RULES.version), "checks": "sha256:" + "c" * 64},
}
PROOF = {"kind": KIND, "plan": PLAN, "parts": PARTS}
UNIVERSE = universe_of(PARTS)
AGENT, SYSTEM = ("agent", "coder"), ("system", "farm")


@dataclass
class FarmLog:
    """A log with its key: the farm's, or one that a stranger set up under its name."""

    key: SigningKey = field(default_factory=lambda: new_key(KeyRole.LOG))
    leaves: list[str] = field(default_factory=list)
    origin: str = LOG

    def enter(self, leaf: str) -> int:
        self.leaves.append(leaf)
        return len(self.leaves) - 1

    def proof(self, index: int) -> LogProof:
        hashes = [leaf_hash(leaf.encode()) for leaf in self.leaves]
        path = inclusion_path(index, len(hashes), nodes_of(hashes))
        checkpoint = Checkpoint(self.origin, len(hashes), root_of(hashes))
        return LogProof(index, tuple(path), signed_checkpoint(checkpoint, self.key))


@dataclass
class Keys:
    """The keys that somebody signs with."""

    recorder: SigningKey = field(default_factory=lambda: new_key(KeyRole.RECORDER))
    grader: SigningKey = field(default_factory=lambda: new_key(KeyRole.GRADER))


def trusted(key: SigningKey, first: int = 0, until: int | None = None, **more: bool) -> TrustedKey:
    return TrustedKey(
        id=key.id, role=key.role.value, public=key.public, first=first, until=until, **more
    )


def trust_in(keys: Keys, log: FarmLog) -> TrustPolicy:
    found = (trusted(keys.recorder), trusted(keys.grader), trusted(log.key))
    return TrustPolicy(log=log.origin, root=new_key(KeyRole.ROOT).public, keys=found)


@dataclass
class Draft:
    """A record before it is sealed. `said` are values of the grader's statement; `kept` is the
    snapshot that the recorder says the stage left, `graded` the one that the grader says it graded.
    """

    lines: list[bytes]
    of_agent: int
    nonce: str
    run: str = "7"
    verdict: Verdict = Verdict.FAILED
    rules: Rules = RULES
    blobs: dict[str, bytes] = field(default_factory=dict)
    said: dict[str, Any] = field(default_factory=dict)
    report: bytes = b""
    kept: str = SNAPSHOT
    graded: str = SNAPSHOT


def opening_of(nonce: str, key: SigningKey) -> dict[str, Any]:
    """The body of run.open."""
    return {
        **{"nonce": nonce, "attempt": 1, "number": 1, "log": LOG},
        **{"task": TASK, "language": "python", "universe": UNIVERSE},
        "system": {"name": "coder", "agent": "scripted"},
        "recorder": {"key": key.id, "worker": "w1"},
    }


def lease_of(stage: str, token: int) -> dict[str, Any]:
    return {"stage": stage, "change": "taken", "token": token, "number": 1, "worker": "w1"}


def report_of(outcomes: tuple[str, ...]) -> dict[str, Any]:
    """The check report of a run."""
    return {
        **{"task": TASK, "language": "python", "universe": UNIVERSE, "snapshot": SNAPSHOT},
        **{"manifest_digest": PARTS["checks"], "build": {"needed": True, "ok": True}},
        "checks": [
            {"id": f"c{number}", "check_digest": "sha256:" + "d" * 64, "outcome": outcome}
            for number, outcome in enumerate(outcomes)
        ],
        "salt": "5a" * 32,
    }


def drafted(
    keys: Keys,
    nonce: str = "n1",
    run: str = "7",
    outcomes: tuple[str, ...] = ("passed", "wrong"),
    report: dict[str, Any] | None = None,
) -> Draft:
    """A run whose agent ran one command, and that failed one of two checks."""
    chain = EventChain(run, "recorder")
    at = Moment(1_732_938_000_000, 0)
    chain.add(EventType.RUN_OPEN, opening_of(nonce, keys.recorder), at, SYSTEM)
    chain.add(EventType.LEASE, lease_of("agent", 1), at, SYSTEM)
    out = blob_of(OUTPUT)
    chain.add(EventType.COMMAND, {"line": "make test", "exit": 0, "out": out}, at, AGENT)
    chain.add(EventType.LIMIT, {"reached": "turn_budget"}, at, SYSTEM)
    left = {"stop": "turn_budget", "changed": True, "snapshot": SNAPSHOT}
    chain.add(EventType.STAGE_CLOSE, left, at, SYSTEM)
    of_agent = len(chain.lines)
    chain.src = "grader"
    chain.add(EventType.LEASE, lease_of("grade", 2), at, SYSTEM)
    chain.add(EventType.BUILD, {"needed": True, "ok": True, "outcome": "passed"}, at, SYSTEM)
    for number, outcome in enumerate(outcomes):
        told = {"id": f"c{number}", "outcome": outcome, "ending": "exited"}
        told["differs"] = outcome != "passed"
        chain.add(EventType.CHECK, told, at, SYSTEM)
    passed = all(outcome == "passed" for outcome in outcomes)
    verdict = Verdict.PASSED if passed else Verdict.FAILED
    document = canonical_bytes(report_of(outcomes) | (report or {}))
    judged = {
        **{
            "universe": PROOF,
            "rules": RULES.model_dump(),
            "report": blob_of(document, "application/json"),
        },
        **{"verdict": verdict, "undelivered": False},
    }
    chain.add(EventType.VERDICT, judged, at, SYSTEM)
    closed = {"events": len(chain.lines) + 1, "status": "graded"}
    chain.add(EventType.RUN_CLOSE, closed, at, SYSTEM)
    blobs = {hashlib.sha256(data).hexdigest(): data for data in (OUTPUT, document)}
    return Draft(chain.lines, of_agent, nonce, run, verdict, blobs=blobs, report=document)


def sealed(draft: Draft, keys: Keys) -> tuple[Envelope, Envelope, str]:
    """Both envelopes, and the close leaf."""
    stage = stage_payload(draft.lines[: draft.of_agent], draft.run, draft.nonce, draft.kept)
    opened = leaf_name(open_leaf(draft.run, 1, draft.lines[0]))
    said = {
        **{"run": draft.run, "nonce": draft.nonce, "chain": chained(draft.lines)},
        **{"opened": opened, "stage": hashlib.sha256(stage).hexdigest(), "rules": draft.rules},
        **{"task": TASK, "language": "python", "universe": UNIVERSE},
        "result": RunResult(verdict=draft.verdict, undelivered=False),
        **{"graded_as": draft.run, "earlier": "", "why": ""},
    }
    predicate = RunRecordPredicate.model_validate({**said, **draft.said})
    report = hashlib.sha256(draft.report).hexdigest()
    payload = record_payload(draft.lines, predicate, draft.graded, report)
    return (
        seal(stage, keys.recorder),
        seal(payload, keys.grader),
        closing_leaf(predicate, payload),
    )


def entered(draft: Draft, keys: Keys, log: FarmLog, *, open_first: bool = True) -> RecordFiles:
    """The record, sealed and entered into the log."""
    recorder, grader, closing = sealed(draft, keys)
    opening = open_leaf(draft.run, 1, draft.lines[0])
    both = (opening, closing) if open_first else (closing, opening)
    at = dict(zip(both, (log.enter(leaf) for leaf in both), strict=True))
    return RecordFiles(
        run=draft.run,
        events=joined(draft.lines),
        seals=seals_bytes(recorder, grader),
        closed=log.proof(at[closing]).as_text().encode(),
        opened=log.proof(at[opening]).as_text().encode(),
        blobs=draft.blobs,
    )


@dataclass
class Farm:
    """An honest farm with some history, and one record of it."""

    keys: Keys = field(default_factory=Keys)
    log: FarmLog = field(default_factory=lambda: FarmLog(leaves=["{}", "{}", "{}"]))

    def __post_init__(self) -> None:
        self.trust = trust_in(self.keys, self.log)
        self.draft = drafted(self.keys)
        self.files = entered(self.draft, self.keys, self.log)

    def resealed(self, change: Callable[[list[bytes]], list[bytes]]) -> RecordFiles:
        """The record with other lines, signed and logged anew by somebody with every key."""
        changed = replace(self.draft, lines=change(list(self.draft.lines)))
        return entered(changed, self.keys, self.log)
