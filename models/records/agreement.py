"""What stands in a record more than once must be the same wherever it stands: who holds one key can
change what that key signs, and not what the other party signed."""

from dataclasses import dataclass

from models.records.decisive_events import DecisiveEvents
from models.records.refusal import Reason, RecordRefused
from models.records.statements import REPORT, SNAPSHOT
from models.schemas.record_statement import (
    AgentStageStatement,
    RunRecordPredicate,
    RunRecordStatement,
    Subject,
)

OPEN, STAGE, VERDICT, LEASE = "run.open", "stage.close", "verdict", "the agent stage's lease"
RECORDER, GRADER = "the recorder's statement", "the grader's statement"
Said = tuple[str, object]
"""Where something stands, and what stands there."""
Shared = tuple[str, Said, *tuple[Said, ...]]
"""What stands in more than one place, and the places."""


@dataclass(frozen=True, slots=True)
class Parties:
    """What is outside the events: the run of their lines, that of the record's folder, both
    statements, the id of the recorder's key, and the log that the verifier trusts."""

    run: str
    folder: str
    stage: AgentStageStatement
    record: RunRecordStatement
    recorder: str
    log: str


def refuse_contradictions(decisive: DecisiveEvents, parties: Parties) -> None:
    """Raises RecordRefused (contradiction) with everything that differs, and where."""
    said = [*_of_the_run(decisive, parties), *_of_the_work(decisive, parties)]
    said += _of_the_grading(decisive, parties)
    told = [
        f"{what} is {_shown(one)} in {here} and {_shown(other)} in {there}"
        for what, (here, one), *others in said
        for there, other in others
        if one != other
    ]
    told += _kind_of_grading(parties.record.predicate)
    if told:
        raise RecordRefused(Reason.CONTRADICTION, f"{'; '.join(told)}.")


def _shown(value: object) -> str:
    return repr(value)[:80]


def _of_the_run(decisive: DecisiveEvents, parties: Parties) -> list[Shared]:
    opened, whole = decisive.opened, parties.record.predicate
    stage = parties.stage.predicate
    graded: list[Shared] = [
        (
            "the run",
            ("the events", parties.run),
            ("the folder", parties.folder),
            (RECORDER, stage.run),
            (GRADER, whole.run),
        ),
        ("the nonce", (OPEN, opened.nonce), (RECORDER, stage.nonce), (GRADER, whole.nonce)),
        ("the log", (OPEN, opened.log), ("the trust file", parties.log)),
        ("the task", (OPEN, opened.task), (GRADER, whole.task)),
        ("the language", (OPEN, opened.language), (GRADER, whole.language)),
    ]
    if not whole.is_regrade:
        graded.append(("the universe", (OPEN, opened.universe), (GRADER, whole.universe)))
    return graded


def _of_the_work(decisive: DecisiveEvents, parties: Parties) -> list[Shared]:
    opened, lease, stop = decisive.opened, decisive.agent_lease, decisive.stage.stop.value
    return [
        ("the recorder's key", (OPEN, opened.recorder.key), (RECORDER, parties.recorder)),
        ("the stage", (LEASE, lease.stage), ("its place", "agent")),
        (
            "the stage",
            ("the grade stage's lease", decisive.grade_lease.stage),
            ("its place", "grade"),
        ),
        ("the attempt", (OPEN, opened.attempt), (LEASE, lease.token)),
        ("the attempt's number", (OPEN, opened.number), (LEASE, lease.number)),
        ("the worker", (OPEN, opened.recorder.worker), (LEASE, lease.worker)),
        *(
            ("the limit that stopped it", ("limit", one.reached), (STAGE, stop))
            for one in decisive.limits
            if one.reached
        ),
        (
            "the snapshot",
            (STAGE, decisive.stage.snapshot),
            (RECORDER, artifact_in(parties.stage.subject, SNAPSHOT)),
            (GRADER, artifact_in(parties.record.subject, SNAPSHOT)),
        ),
    ]


def _of_the_grading(decisive: DecisiveEvents, parties: Parties) -> list[Shared]:
    judged, whole = decisive.verdict, parties.record.predicate
    report = artifact_in(parties.record.subject, REPORT)
    return [
        ("the check report", (VERDICT, f"sha256:{judged.report.sha256}"), (GRADER, report)),
        ("the verdict", (VERDICT, judged.verdict.value), (GRADER, whole.result.verdict.value)),
        ("undelivered", (VERDICT, judged.undelivered), (GRADER, whole.result.undelivered)),
        ("the rules", (VERDICT, judged.rules.digest), (GRADER, whole.rules.digest)),
        (
            "the version of the rules",
            (VERDICT, judged.rules.version),
            (GRADER, whole.rules.version),
        ),
    ]


def _kind_of_grading(whole: RunRecordPredicate) -> list[str]:
    """A first grading has nothing before it; one that is made again says why."""
    if whole.is_regrade and not whole.why:
        return [f"it was graded as run {whole.graded_as[:20]!r}, and does not say why"]
    if not whole.is_regrade and (whole.earlier or whole.why):
        return ["it names an earlier grading, and was graded as itself"]
    return []


def artifact_in(subjects: tuple[Subject, ...], name: str) -> str:
    """The digest of the one subject of that name; empty where there is none, or more than one."""
    found = [f"sha256:{one.digest.sha256}" for one in subjects if one.name == name]
    return found[0] if len(found) == 1 else ""
