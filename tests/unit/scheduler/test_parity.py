"""The parity gate: green only where everything is proved, and never by accident."""

from collections.abc import Callable, Sequence

import pytest

from models.schemas.check_report import ComparatorFault, ComparatorProbe
from models.schemas.gate import (
    Control,
    ControlExpectation,
    GateColour,
    GateEvidence,
    GateRule,
    GateRun,
    ParityDecision,
    ParityExpectation,
    fault_subject,
)
from models.schemas.task import Fault, FaultKind
from models.verdicts import CheckOutcome, VoidCategory
from scheduler.gates.parity import LEAVES_OPEN, decide_parity

CHECKS = ("shown", "one", "two")
WRONG, PASSED, TIMEOUT = CheckOutcome.WRONG, CheckOutcome.PASSED, CheckOutcome.TIMEOUT
PROBED = GateEvidence(probe=ComparatorProbe(answers=30))

EXPECTATION = ParityExpectation(
    task="adder",
    language="python",
    universe="u",
    manifest_digest="m",
    checks=CHECKS,
    starter_fails=("one", "two"),
    faults=(
        Fault(
            id="off",
            kind=FaultKind.BOUNDARY,
            title="Off by one",
            required=("one",),
            permitted=("two",),
        ),
        Fault(id="loop", kind=FaultKind.NON_TERMINATING, title="Loops", required=("two",)),
    ),
    controls=(
        ControlExpectation(
            control=Control.EXIT, required=("one", "two"), permitted=("shown",), outcomes=(WRONG,)
        ),
        ControlExpectation(control=Control.SLEEP, required=CHECKS, outcomes=(TIMEOUT,)),
        ControlExpectation(
            control=Control.VISIBLE_EXAMPLES, required=("one", "two"), outcomes=(WRONG,)
        ),
    ),
    reference_repeats=2,
)


def graded(run_id: int, subject: str, repeat: int = 1, /, **failing: CheckOutcome) -> GateRun:
    return GateRun(
        run_id=run_id,
        subject=subject,
        repeat=repeat,
        universe="u",
        manifest_digest="m",
        toolchain="3.11",
        isolation="strong",
        built=True,
        outcomes=tuple((check, failing.get(check, PASSED)) for check in CHECKS),
        evidence=PROBED if (subject, repeat) == ("reference", 1) else GateEvidence(),
    )


def sound_runs() -> list[GateRun]:
    return [
        graded(1, "reference", 1),
        graded(2, "reference", 2),
        graded(3, "starter", one=WRONG, two=CheckOutcome.CRASH),
        graded(4, "fault:off", one=WRONG),
        graded(5, "fault:loop", two=CheckOutcome.TIMEOUT),
        graded(6, "control:exit", one=WRONG, two=WRONG),
        graded(7, "control:sleep", shown=TIMEOUT, one=TIMEOUT, two=TIMEOUT),
        graded(8, "control:visible-examples", one=WRONG, two=WRONG),
    ]


def void(run: GateRun) -> GateRun:
    return GateRun(
        run_id=run.run_id,
        subject=run.subject,
        repeat=run.repeat,
        universe=run.universe,
        voided=VoidCategory.WORKER_LOST,
    )


def broken(run: GateRun) -> GateRun:
    failed = tuple((check, CheckOutcome.BUILD_FAILED) for check in CHECKS)
    return run.model_copy(update={"built": False, "outcomes": failed})


def decide(runs: Sequence[GateRun]) -> ParityDecision:
    return decide_parity(EXPECTATION, runs)


def rules(decision: ParityDecision) -> list[tuple[GateRule, str, str]]:
    return [(r.rule, r.subject, r.check) for r in decision.reasons if r.blocks]


def replaced(run_id: int, run: GateRun) -> list[GateRun]:
    return [run if old.run_id == run_id else old for old in sound_runs()]


def test_a_proved_verifier_is_green_in_whatever_order_runs_come() -> None:
    decision = decide(sound_runs())
    assert decision.colour is GateColour.GREEN
    assert decision.reasons == ()
    assert [row.subject for row in decision.rows] == list(EXPECTATION.subjects)
    assert decision.rows[0].repeats == 2
    assert decision == decide(sound_runs()[::-1])


def test_a_fault_may_also_fail_what_is_permitted() -> None:
    runs = replaced(4, graded(4, "fault:off", one=WRONG, two=WRONG))
    assert decide(runs).colour is GateColour.GREEN


@pytest.mark.parametrize(
    ("run", "reasons"),
    [
        (graded(2, "reference", 2, two=WRONG), [
            (GateRule.REFERENCE_PASSES, "reference", "two"),
            (GateRule.NO_FLIPS, "reference", "two"),
        ]),
        (broken(graded(2, "reference", 2)), [
            (GateRule.REFERENCE_BUILDS, "reference", ""),
            (GateRule.NO_FLIPS, "reference", ""),
        ]),
        (graded(3, "starter", one=WRONG), [
            (GateRule.STARTER_FAILS_AS_DECLARED, "starter", "two"),
        ]),
        (graded(3, "starter", shown=WRONG, one=WRONG, two=WRONG), [
            (GateRule.STARTER_FAILS_AS_DECLARED, "starter", "shown"),
        ]),
        (graded(3, "starter", one=WRONG, two=CheckOutcome.TIMEOUT), [
            (GateRule.STARTER_FAILS_AS_DECLARED, "starter", "two"),
        ]),
        (broken(graded(3, "starter")), [(GateRule.STARTER_BUILDS, "starter", "")]),
        (graded(4, "fault:off"), [(GateRule.FAULT_IS_CAUGHT, "fault:off", "one")]),
        (graded(4, "fault:off", two=WRONG), [(GateRule.FAULT_IS_CAUGHT, "fault:off", "one")]),
        (graded(4, "fault:off", one=WRONG, shown=WRONG), [
            (GateRule.FAULT_STAYS_IN_BOUNDS, "fault:off", "shown"),
        ]),
        (broken(graded(4, "fault:off")), [(GateRule.FAULT_BUILDS, "fault:off", "")]),
        (graded(6, "control:exit", shown=WRONG, one=WRONG), [
            (GateRule.CONTROL_ENDS_AS_DECLARED, "control:exit", "two"),
        ]),
        (graded(6, "control:exit"), [
            (GateRule.CONTROL_ENDS_AS_DECLARED, "control:exit", "one"),
            (GateRule.CONTROL_ENDS_AS_DECLARED, "control:exit", "two"),
            (GateRule.CONTROL_NEVER_PASSES, "control:exit", ""),
        ]),
        (broken(graded(6, "control:exit")), [(GateRule.CONTROL_BUILDS, "control:exit", "")]),
        (graded(7, "control:sleep", shown=TIMEOUT, one=WRONG, two=TIMEOUT), [
            (GateRule.CONTROL_ENDS_AS_DECLARED, "control:sleep", "one"),
        ]),
        (graded(8, "control:visible-examples", shown=WRONG, one=WRONG, two=WRONG), [
            (GateRule.CONTROL_ENDS_AS_DECLARED, "control:visible-examples", "shown"),
        ]),
        (graded(8, "control:visible-examples", one=WRONG, two=CheckOutcome.CRASH), [
            (GateRule.CONTROL_ENDS_AS_DECLARED, "control:visible-examples", "two"),
        ]),
    ],
)  # fmt: skip
def test_graded_evidence_against_the_verifier_is_red_with_every_reason(
    run: GateRun, reasons: list[tuple[GateRule, str, str]]
) -> None:
    decision = decide(replaced(run.run_id, run))
    assert decision.colour is GateColour.RED
    assert rules(decision) == reasons


@pytest.mark.parametrize("outcome", [o for o in CheckOutcome if o not in {WRONG, PASSED}])
def test_only_a_wrong_answer_catches_an_ordinary_fault(outcome: CheckOutcome) -> None:
    decision = decide(replaced(4, graded(4, "fault:off", one=outcome)))
    assert decision.colour is GateColour.RED
    assert rules(decision) == [(GateRule.FAULT_IS_CAUGHT, "fault:off", "one")]


@pytest.mark.parametrize(
    ("kind", "outcome"),
    [
        (FaultKind.NON_TERMINATING, CheckOutcome.TIMEOUT),
        (FaultKind.QUADRATIC_TIME, CheckOutcome.TIMEOUT),
        (FaultKind.CRASHING, CheckOutcome.CRASH),
    ],
)
def test_a_fault_kind_says_which_other_outcome_catches_it(
    kind: FaultKind, outcome: CheckOutcome
) -> None:
    for each in CheckOutcome:
        fault = Fault(id="f", kind=kind, title="F", required=("one",))
        expectation = EXPECTATION.model_copy(update={"faults": (fault,)})
        others = [run for run in sound_runs() if not run.subject.startswith("fault:")]
        runs = [*others, graded(4, fault_subject("f"), one=each)]
        green = decide_parity(expectation, runs).colour is GateColour.GREEN
        assert green is (each in {WRONG, outcome})


@pytest.mark.parametrize("run_id", [2, 3, 4, 5, 6, 7, 8])
def test_a_subject_without_evidence_leaves_the_gate_open(run_id: int) -> None:
    for runs in (
        [run for run in sound_runs() if run.run_id != run_id],
        replaced(run_id, void(sound_runs()[run_id - 1])),
    ):
        decision = decide(runs)
        assert decision.colour is GateColour.INCONCLUSIVE
        assert {rule for rule, _, _ in rules(decision)} == {GateRule.SUBJECT_HAS_EVIDENCE}


def test_without_a_reference_that_probed_the_comparators_the_gate_stays_open() -> None:
    decision = decide([run for run in sound_runs() if run.run_id != 1])
    assert decision.colour is GateColour.INCONCLUSIVE
    assert rules(decision) == [
        (GateRule.SUBJECT_HAS_EVIDENCE, "reference", ""),
        (GateRule.COMPARATORS_WERE_PROBED, "", ""),
    ]


def test_a_comparator_that_takes_junk_or_stumbles_over_it_is_red() -> None:
    passes = ComparatorFault(check="one", junk="NaN", problem="passes")
    raises = ComparatorFault(check="two", junk="NUL bytes", problem="raises", text="ValueError")
    probe = ComparatorProbe(answers=30, faults=(passes, raises))
    spoilt = sound_runs()[0].model_copy(update={"evidence": GateEvidence(probe=probe)})
    decision = decide(replaced(1, spoilt))
    assert decision.colour is GateColour.RED
    assert rules(decision) == [
        (GateRule.COMPARATOR_SURVIVES, "", "one"),
        (GateRule.COMPARATOR_SURVIVES, "", "two"),
    ]
    assert "NaN is taken for the right answer" in decision.reasons[0].text
    assert "ValueError" in decision.reasons[1].text


def test_a_starter_of_which_nobody_knows_what_it_fails_must_fail_something() -> None:
    loose = {"starter_fails": (), "starter_may_fail": ("one", "two")}
    expectation = EXPECTATION.model_copy(update=loose)
    for run, colour in (
        (graded(3, "starter", two=CheckOutcome.CRASH), GateColour.GREEN),
        (graded(3, "starter"), GateColour.RED),
        (graded(3, "starter", shown=WRONG), GateColour.RED),
    ):
        assert decide_parity(expectation, replaced(3, run)).colour is colour


def test_what_was_seen_in_many_runs_is_one_reason_that_names_them() -> None:
    more = EXPECTATION.model_copy(update={"reference_repeats": 7})
    runs = [run for run in sound_runs() if run.subject != "reference"]
    runs += [graded(20 + repeat, "reference", repeat, one=WRONG) for repeat in range(1, 8)]
    told = [reason.text for reason in decide_parity(more, runs).reasons if reason.check == "one"]
    assert told == [
        "one ends as wrong in 7 runs (21, 22, 23, 24, 25 and 2 more) and must pass: "
        "correct the check or the subject"
    ]


def test_flips_are_counted_by_run_and_bound_the_rate_exactly() -> None:
    more = EXPECTATION.model_copy(update={"reference_repeats": 5})
    runs = [*sound_runs()[2:], graded(1, "reference", 1)]
    runs += [graded(20 + repeat, "reference", repeat) for repeat in (2, 3, 4)]
    runs.append(graded(25, "reference", 5, one=WRONG, two=WRONG))
    decision = decide_parity(more, runs)
    reference = decision.rows[0]
    assert (reference.flips, reference.repeats) == (1, 5)
    assert reference.runs[4].differs == {"one": WRONG, "two": WRONG}
    assert reference.outcomes_in(reference.runs[4])["one"] is WRONG
    [rate] = decision.flip_rates
    # The root of (1 - p)^5 + 5 p (1 - p)^4 = 0.05.
    p = rate.upper_bound
    assert (1 - p) ** 5 + 5 * p * (1 - p) ** 4 == pytest.approx(0.05, abs=1e-5)
    [flips] = [reason for reason in decision.reasons if reason.check == "one"][-1:]
    assert flips.rule is GateRule.NO_FLIPS
    assert "4x passed, 1x wrong" in flips.text


def test_no_run_at_all_is_inconclusive() -> None:
    decision = decide([])
    assert decision.colour is GateColour.INCONCLUSIVE
    assert len(rules(decision)) == len(EXPECTATION.subjects)


def test_a_void_run_beside_enough_evidence_is_told_but_does_not_block() -> None:
    extra = void(graded(19, "fault:off", 2))
    decision = decide([*sound_runs(), extra])
    assert decision.colour is GateColour.GREEN
    assert [reason.rule for reason in decision.reasons] == [GateRule.NO_VOIDS]
    assert decision.rows[2].voids == 1


def test_a_disproof_beside_missing_evidence_stays_open_and_is_listed() -> None:
    runs = [run for run in sound_runs() if run.run_id != 5]
    runs[0] = graded(1, "reference", 1, one=WRONG)
    decision = decide(runs)
    assert decision.colour is GateColour.INCONCLUSIVE
    assert GateRule.REFERENCE_PASSES in {rule for rule, _, _ in rules(decision)}


Change = Callable[[GateRun], dict[str, object]]


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (lambda run: {"manifest_digest": "other"}, GateRule.ONE_MANIFEST),
        (lambda run: {"universe": "other"}, GateRule.ONE_UNIVERSE),
        (lambda run: {"outcomes": run.outcomes[:-1]}, GateRule.EVERY_CHECK_ONCE),
        (lambda run: {"outcomes": ()}, GateRule.EVERY_CHECK_ONCE),
        (lambda run: {"outcomes": (*run.outcomes, run.outcomes[0])}, GateRule.EVERY_CHECK_ONCE),
        (lambda run: {"outcomes": (*run.outcomes, ("alien", PASSED))}, GateRule.EVERY_CHECK_ONCE),
        (lambda run: {"outcomes": run.outcomes[::-1]}, GateRule.EVERY_CHECK_ONCE),
        (lambda run: {"toolchain": "3.12"}, GateRule.ONE_TOOLCHAIN),
        (lambda run: {"toolchain": ""}, GateRule.ONE_TOOLCHAIN),
        (lambda run: {"isolation": "weak"}, GateRule.ONE_ISOLATION),
    ],
)
def test_runs_that_do_not_fit_together_prove_nothing(change: Change, rule: GateRule) -> None:
    for run in sound_runs():
        odd = run.model_copy(update=change(run))
        decision = decide(replaced(run.run_id, odd))
        assert decision.colour is GateColour.INCONCLUSIVE
        assert rule in {found for found, _, _ in rules(decision)}
        assert {found for found, _, _ in rules(decision)} <= LEAVES_OPEN


def test_a_run_of_an_undeclared_subject_leaves_the_gate_open() -> None:
    decision = decide([*sound_runs(), graded(19, "fault:unknown", one=WRONG)])
    assert decision.colour is GateColour.INCONCLUSIVE
    assert rules(decision) == [(GateRule.SUBJECT_IS_DECLARED, "fault:unknown", "")]


def test_a_fault_that_is_caught_only_sometimes_is_red() -> None:
    decision = decide([*sound_runs(), graded(19, "fault:off", 2)])
    assert decision.colour is GateColour.RED
    assert (GateRule.NO_FLIPS, "fault:off", "one") in rules(decision)


def test_a_report_full_of_passes_for_every_subject_is_red() -> None:
    """A verifier that passes everything must not get through."""
    runs = [graded(run.run_id, run.subject, run.repeat) for run in sound_runs()]
    decision = decide(runs)
    assert decision.colour is GateColour.RED
    assert {subject for _, subject, _ in rules(decision)} == set(EXPECTATION.subjects[1:])


def test_a_report_full_of_failures_for_every_subject_is_red() -> None:
    runs = [
        graded(run.run_id, run.subject, run.repeat, shown=WRONG, one=WRONG, two=WRONG)
        for run in sound_runs()
    ]
    decision = decide(runs)
    assert decision.colour is GateColour.RED
    unseen = {"control:exit"}  # It may fail whatever it is asked.
    assert {subject for _, subject, _ in rules(decision)} == set(EXPECTATION.subjects) - unseen
