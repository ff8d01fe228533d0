"""What each subject of a parity gate must show. Pure.

What counts as caught is narrow, so that a broken verifier can't look strict. For a fault only the
outcome `wrong` counts; a timeout counts for the kinds `non_terminating` and `quadratic_time`, a
crash for the kind `crashing`. An undeclared crash might as well be a patch that spoils the program
as a whole, and build failures, memory, output limits and checks not reached say more about limits
than about the check. The starter may also crash or answer in no readable form, since an unfinished
program does that. Controls say themselves which outcomes are theirs.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from models.schemas.gate import (
    REFERENCE,
    STARTER,
    ControlExpectation,
    GateRule,
    ParityExpectation,
    control_subject,
    fault_subject,
)
from models.schemas.task import Fault, FaultKind
from models.verdicts import CheckOutcome

STARTER_OUTCOMES = frozenset({CheckOutcome.WRONG, CheckOutcome.CRASH, CheckOutcome.PROTOCOL})
FAULT_OUTCOMES: dict[FaultKind, frozenset[CheckOutcome]] = {
    FaultKind.NON_TERMINATING: frozenset({CheckOutcome.WRONG, CheckOutcome.TIMEOUT}),
    FaultKind.QUADRATIC_TIME: frozenset({CheckOutcome.WRONG, CheckOutcome.TIMEOUT}),
    FaultKind.CRASHING: frozenset({CheckOutcome.WRONG, CheckOutcome.CRASH}),
}


def caught_by(kind: FaultKind) -> frozenset[CheckOutcome]:
    """The outcomes that prove that a check caught a fault of this kind."""
    return FAULT_OUTCOMES.get(kind, frozenset({CheckOutcome.WRONG}))


@dataclass(frozen=True, slots=True)
class Claim:
    """What a subject must show: builds, fails `required`, fails nothing else but `permitted`.

    A failure of a required check counts only with an outcome in `counted`. `remedy` says what to
    do where a required check passes. `passing_rule`: what a run breaks that passes as a whole, None
    where it may. Where it needn't build, checks that were not reached for that are judged as such.
    """

    subject: str
    required: frozenset[str]
    permitted: frozenset[str]
    counted: frozenset[CheckOutcome]
    repeats: int
    build_rule: GateRule
    required_rule: GateRule
    bounds_rule: GateRule
    remedy: str = "sharpen the check or correct the subject"
    passing_rule: GateRule | None = None
    must_build: bool = True


def claims_of(expectation: ParityExpectation) -> Iterator[Claim]:
    """The claim of every subject, in the order of the matrix."""
    yield _reference_claim(expectation)
    yield _starter_claim(expectation)
    yield from map(_fault_claim, expectation.faults)
    yield from map(_control_claim, expectation.controls)


def _reference_claim(expectation: ParityExpectation) -> Claim:
    return Claim(
        REFERENCE,
        required=frozenset(),
        permitted=frozenset(),
        counted=frozenset(),
        repeats=expectation.reference_repeats,
        build_rule=GateRule.REFERENCE_BUILDS,
        required_rule=GateRule.REFERENCE_PASSES,
        bounds_rule=GateRule.REFERENCE_PASSES,
    )


def _starter_claim(expectation: ParityExpectation) -> Claim:
    return Claim(
        STARTER,
        required=frozenset(expectation.starter_fails),
        permitted=frozenset(expectation.starter_may_fail),
        counted=STARTER_OUTCOMES,
        repeats=1,
        build_rule=GateRule.STARTER_BUILDS,
        required_rule=GateRule.STARTER_FAILS_AS_DECLARED,
        bounds_rule=GateRule.STARTER_FAILS_AS_DECLARED,
        passing_rule=None if expectation.starter_fails else GateRule.STARTER_FAILS_AS_DECLARED,
    )


def _fault_claim(fault: Fault) -> Claim:
    return Claim(
        fault_subject(fault.id),
        required=frozenset(fault.required),
        permitted=frozenset(fault.permitted),
        counted=caught_by(fault.kind),
        repeats=1,
        build_rule=GateRule.FAULT_BUILDS,
        required_rule=GateRule.FAULT_IS_CAUGHT,
        bounds_rule=GateRule.FAULT_STAYS_IN_BOUNDS,
    )


def _control_claim(expected: ControlExpectation) -> Claim:
    return Claim(
        control_subject(expected.control),
        required=frozenset(expected.required),
        permitted=frozenset(expected.permitted),
        counted=frozenset(expected.outcomes),
        repeats=1,
        build_rule=GateRule.CONTROL_BUILDS,
        required_rule=GateRule.CONTROL_ENDS_AS_DECLARED,
        bounds_rule=GateRule.CONTROL_ENDS_AS_DECLARED,
        remedy="a program that solves nothing gives its answer: ask for more",
        passing_rule=GateRule.CONTROL_NEVER_PASSES,
        must_build=expected.must_build,
    )
