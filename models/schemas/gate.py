"""A decision about a verifier or a board, with every reason."""

from enum import StrEnum
from typing import Literal

from pydantic import Field

from models.schemas.base import Schema
from models.schemas.check_report import CheckReport, ComparatorProbe
from models.schemas.task import Fault
from models.verdicts import CheckOutcome, VoidCategory

REFERENCE = "reference"
STARTER = "starter"
FAULT_PREFIX = "fault:"
CONTROL_PREFIX = "control:"
REFERENCE_REPEATS = 3
"""How often a gate grades the reference, unless told otherwise: flips need repeats to show."""


class Control(StrEnum):
    """Programs that solve nothing, the same for every task: none may ever pass a run.

    Each is the control program of the language, told by `control.txt` what to do.
    """

    EXIT = "exit"
    FORGED_PASS = "forged-pass"
    VISIBLE_EXAMPLES = "visible-examples"
    SLEEP = "sleep"
    ECHO = "echo"
    EVERY_ANSWER = "every-answer"


def fault_subject(fault_id: str) -> str:
    """The subject name of a planted fault: `fault:<id>`."""
    return FAULT_PREFIX + fault_id


def control_subject(control: Control) -> str:
    """The subject name of a control: `control:<id>`."""
    return CONTROL_PREFIX + control.value


def control_of(subject: str) -> Control | None:
    """The control that a subject name stands for; None for every other name."""
    name = subject.removeprefix(CONTROL_PREFIX)
    return Control(name) if name != subject and name in set(Control) else None


class GateColour(StrEnum):
    """Green: proved. Red: disproved. Inconclusive: the farm could not tell."""

    GREEN = "green"
    RED = "red"
    INCONCLUSIVE = "inconclusive"


class GateRule(StrEnum):
    """The rules that a reason can cite. The first group disproves, the second leaves open, the
    third says what a proof is about."""

    REFERENCE_BUILDS = "reference_builds"
    REFERENCE_PASSES = "reference_passes"
    STARTER_BUILDS = "starter_builds"
    STARTER_FAILS_AS_DECLARED = "starter_fails_as_declared"
    FAULT_BUILDS = "fault_builds"
    FAULT_IS_CAUGHT = "fault_is_caught"
    FAULT_STAYS_IN_BOUNDS = "fault_stays_in_bounds"
    CONTROL_BUILDS = "control_builds"
    CONTROL_ENDS_AS_DECLARED = "control_ends_as_declared"
    CONTROL_NEVER_PASSES = "control_never_passes"
    COMPARATOR_SURVIVES = "comparator_survives"
    NO_FLIPS = "no_flips"
    LANGUAGES_AGREE = "languages_agree"

    SUBJECT_HAS_EVIDENCE = "subject_has_evidence"
    COMPARATORS_WERE_PROBED = "comparators_were_probed"
    NO_VOIDS = "no_voids"
    SUBJECT_IS_DECLARED = "subject_is_declared"
    EVERY_CHECK_ONCE = "every_check_once"
    ONE_MANIFEST = "one_manifest"
    ONE_UNIVERSE = "one_universe"
    ONE_TOOLCHAIN = "one_toolchain"
    ONE_ISOLATION = "one_isolation"
    CAN_BE_DECIDED = "can_be_decided"

    NATIVE_SUITE = "native_suite"
    NO_PLANTED_FAULTS = "no_planted_faults"


class GateReason(Schema):
    """One reason: which rule, about which subject and check, in words with the remedy.

    `blocks` is false for what a reader should know but what doesn't keep the gate from green.
    """

    rule: GateRule
    subject: str = ""
    check: str = ""
    language: str = ""
    text: str
    blocks: bool = True


class GateEvidence(Schema):
    """What a gate keeps of one graded run beside its outcomes. Times as the farm measured them.

    `asked` are the places of the checks in the plan, from 0, in the order in which they were
    asked; empty where that was the plan's own. `check_ms` are milliseconds of wall clock, in plan
    order, empty where nothing was built. `build_cpu_s` is 0 where no compiler ran. `wall_cap_s`
    is what a check's time was cut to, None where the task's limit held. `probe` is only there
    where the run's grader also fed its comparators junk.
    """

    asked: tuple[int, ...] = ()
    wall_s: float = 0.0
    cpu_s: float = 0.0
    build_cpu_s: float = 0.0
    build_needed: bool = False
    build_cached: bool = False
    check_ms: tuple[int, ...] = ()
    wall_cap_s: float | None = None
    probe: ComparatorProbe | None = None

    @classmethod
    def of(cls, report: CheckReport) -> "GateEvidence":
        """The evidence in a check report."""
        build = report.build
        places = {check.id: place for place, check in enumerate(report.checks)}
        checks = [check.evidence for check in report.checks if check.evidence]
        compiled = None if build.cached else build.evidence
        known = checks if compiled is None else [compiled, *checks]
        return cls(
            asked=tuple(places[check_id] for check_id in report.asked),
            wall_s=round(sum(evidence.wall_s for evidence in known), 4),
            cpu_s=round(sum(evidence.cpu_s for evidence in known), 4),
            build_cpu_s=0.0 if compiled is None else compiled.cpu_s,
            build_needed=build.needed,
            build_cached=build.cached,
            check_ms=tuple(round(evidence.wall_s * 1000) for evidence in checks),
            wall_cap_s=report.wall_cap_s,
            probe=report.probe,
        )


class GateRun(Schema):
    """One finished run of a subject, as the parity gate needs it.

    `outcomes` are (check id, outcome) pairs exactly as reported, in order, duplicates kept;
    empty where the run is void. `voided` is the category of a void run, None for a graded one.
    """

    run_id: int
    subject: str
    repeat: int
    universe: str
    manifest_digest: str = ""
    toolchain: str = ""
    isolation: str = ""
    built: bool = False
    outcomes: tuple[tuple[str, CheckOutcome], ...] = ()
    voided: VoidCategory | None = None
    evidence: GateEvidence | None = None


class ControlExpectation(Schema):
    """How one control must end: every check in `required` fails with one of `outcomes`.

    Those in `permitted` may pass or fail, all others must pass. `must_build` is false where it is
    built together with what is asked of it.
    """

    control: Control
    required: tuple[str, ...]
    permitted: tuple[str, ...] = ()
    outcomes: tuple[CheckOutcome, ...] = Field(min_length=1)
    must_build: bool = True


class ParityExpectation(Schema):
    """What the parity gate holds the runs of one variant against.

    `checks` is the plan in order; `reference_repeats` how many graded runs of the reference
    are asked for. All other subjects need one each. The starter must fail all of `starter_fails`,
    may fail `starter_may_fail`, and must fail something. `uses_suite`: a native suite asks.
    """

    task: str
    language: str
    universe: str
    manifest_digest: str
    checks: tuple[str, ...] = Field(min_length=1)
    starter_fails: tuple[str, ...]
    starter_may_fail: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()
    controls: tuple[ControlExpectation, ...] = ()
    reference_repeats: int = Field(default=REFERENCE_REPEATS, ge=1)
    uses_suite: bool = False

    @property
    def subjects(self) -> tuple[str, ...]:
        """Every subject that must be graded, in the order of the matrix."""
        faults = (fault_subject(fault.id) for fault in self.faults)
        controls = (control_subject(one.control) for one in self.controls)
        return (REFERENCE, STARTER, *faults, *controls)


class SubjectRun(Schema):
    """One run behind a row of the matrix.

    `differs` holds the checks that ended otherwise than in the row. `fit` is false for a graded
    run that is no evidence; a reason says why.
    """

    run_id: int
    repeat: int
    voided: VoidCategory | None = None
    fit: bool = True
    built: bool = False
    differs: dict[str, CheckOutcome] = Field(default_factory=dict[str, CheckOutcome])
    evidence: GateEvidence | None = None


class SubjectRow(Schema):
    """One subject in the matrix: the outcome of every check, in plan order.

    `outcomes` are those of the first graded run; empty where there is none. `repeats` is the
    number of graded runs that are evidence, `flips` how many of them end otherwise than most.
    `runs` are all of its runs, in the order of the repeats.
    """

    subject: str
    outcomes: dict[str, CheckOutcome]
    built: bool
    repeats: int
    voids: int = 0
    flips: int = 0
    runs: tuple[SubjectRun, ...] = ()

    @property
    def run_ids(self) -> tuple[int, ...]:
        """The ids of its runs, in the order of the repeats."""
        return tuple(run.run_id for run in self.runs)

    def outcomes_in(self, run: SubjectRun) -> dict[str, CheckOutcome]:
        """The outcome of every check in one of `runs`; empty where it is no evidence."""
        return {} if run.voided or not run.fit else self.outcomes | run.differs


class FlipRate(Schema):
    """How often a subject's repeats disagreed, and what that proves.

    The true rate lies below `upper_bound` with `confidence`: exact, one-sided.
    """

    subject: str
    flips: int
    repeats: int
    upper_bound: float
    confidence: float


class ParityDecision(Schema):
    """The parity gate of one variant in one universe with one toolchain.

    `parts` maps every part of the universe, down to single checks, faults and files, to a short
    digest of it: what differs between two decisions is what changed between them.
    """

    schema_version: Literal[1] = 1
    task: str
    language: str
    universe: str
    manifest_digest: str
    toolchain: str
    isolation: str
    colour: GateColour
    reasons: tuple[GateReason, ...]
    checks: tuple[str, ...]
    rows: tuple[SubjectRow, ...] = Field(default=())
    flip_rates: tuple[FlipRate, ...] = ()
    parts: dict[str, str] = Field(default_factory=dict[str, str])
    campaign_id: str = ""
    decided_at: str = ""
