"""A decision about a verifier or a board, with every reason."""

from enum import StrEnum
from typing import Literal

from pydantic import Field

from models.schemas.base import Schema
from models.schemas.task import Fault
from models.verdicts import CheckOutcome, VoidCategory

REFERENCE = "reference"
STARTER = "starter"
FAULT_PREFIX = "fault:"
REFERENCE_REPEATS = 3
"""How often a gate grades the reference, unless told otherwise: flips need repeats to show."""


def fault_subject(fault_id: str) -> str:
    """The subject name of a planted fault: `fault:<id>`."""
    return FAULT_PREFIX + fault_id


class GateColour(StrEnum):
    """Green: proved. Red: disproved. Inconclusive: the farm could not tell."""

    GREEN = "green"
    RED = "red"
    INCONCLUSIVE = "inconclusive"


class GateRule(StrEnum):
    """The rules that a reason can cite. The first group disproves, the second leaves open."""

    REFERENCE_BUILDS = "reference_builds"
    REFERENCE_PASSES = "reference_passes"
    STARTER_BUILDS = "starter_builds"
    STARTER_FAILS_AS_DECLARED = "starter_fails_as_declared"
    FAULT_BUILDS = "fault_builds"
    FAULT_IS_CAUGHT = "fault_is_caught"
    FAULT_STAYS_IN_BOUNDS = "fault_stays_in_bounds"
    NO_FLIPS = "no_flips"
    LANGUAGES_AGREE = "languages_agree"

    SUBJECT_HAS_EVIDENCE = "subject_has_evidence"
    NO_VOIDS = "no_voids"
    SUBJECT_IS_DECLARED = "subject_is_declared"
    EVERY_CHECK_ONCE = "every_check_once"
    ONE_MANIFEST = "one_manifest"
    ONE_UNIVERSE = "one_universe"
    ONE_TOOLCHAIN = "one_toolchain"
    ONE_ISOLATION = "one_isolation"
    CAN_BE_DECIDED = "can_be_decided"


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


class ParityExpectation(Schema):
    """What the parity gate holds the runs of one variant against.

    `checks` is the plan in order; `reference_repeats` how many graded runs of the reference
    are asked for. Starter and faults need one each.
    """

    task: str
    language: str
    universe: str
    manifest_digest: str
    checks: tuple[str, ...] = Field(min_length=1)
    starter_fails: tuple[str, ...] = Field(min_length=1)
    faults: tuple[Fault, ...] = ()
    reference_repeats: int = Field(default=REFERENCE_REPEATS, ge=1)

    @property
    def subjects(self) -> tuple[str, ...]:
        """Every subject that must be graded, in the order of the matrix."""
        return (REFERENCE, STARTER, *(fault_subject(fault.id) for fault in self.faults))


class SubjectRow(Schema):
    """One subject in the matrix: the outcome of every check, in plan order.

    `outcomes` are those of the first graded run; empty where there is none. `repeats` is the
    number of graded runs; where one differs from the first, a reason of the rule `no_flips`
    says so.
    """

    subject: str
    outcomes: dict[str, CheckOutcome]
    built: bool
    repeats: int
    voids: int = 0
    run_ids: tuple[int, ...] = ()


class ParityDecision(Schema):
    """The parity gate of one variant in one universe with one toolchain."""

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
    campaign_id: str = ""
    decided_at: str = ""
