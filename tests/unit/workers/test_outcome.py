"""The two decisions that blame depends on, as tables."""

import pytest

from models.run_outcome import JudgedFacts, RunOutcome, decide_outcome
from models.verdicts import CheckOutcome, Verdict, VoidCategory
from workers.checks.comparators import Difference
from workers.checks.outcome import ProcessFacts, build_outcome, check_outcome
from workers.sandbox.outcome import Ending

WRONG = Difference(protocol=False, text="expected 1, got 2")
GARBLED = Difference(protocol=True, text="not JSON")
OK = CheckOutcome.PASSED
BAD = CheckOutcome.WRONG


@pytest.mark.parametrize(
    ("facts", "outcome"),
    [
        (ProcessFacts(Ending.exited, 0, 0, None), CheckOutcome.PASSED),
        (ProcessFacts(Ending.exited, 3, 3, None), CheckOutcome.PASSED),
        (ProcessFacts(Ending.exited, 0, 0, WRONG), CheckOutcome.WRONG),
        (ProcessFacts(Ending.exited, 0, 0, GARBLED), CheckOutcome.PROTOCOL),
        (ProcessFacts(Ending.exited, 0, 3, None), CheckOutcome.WRONG),
        (ProcessFacts(Ending.exited, 1, 0, None), CheckOutcome.CRASH),
        (ProcessFacts(Ending.exited, 127, 0, None), CheckOutcome.CRASH),
        (ProcessFacts(Ending.exited, 1, 3, None), CheckOutcome.CRASH),
        (ProcessFacts(Ending.exited, None, 0, None), VoidCategory.UNKNOWN),
        (ProcessFacts(Ending.signalled, None, 0, None), CheckOutcome.CRASH),
        (ProcessFacts(Ending.wall_timeout, None, 0, None), CheckOutcome.TIMEOUT),
        (ProcessFacts(Ending.cpu_timeout, None, 0, None), CheckOutcome.TIMEOUT),
        (ProcessFacts(Ending.memory, None, 0, None), CheckOutcome.MEMORY),
        (ProcessFacts(Ending.output_limit, None, 0, None), CheckOutcome.OUTPUT_LIMIT),
        (ProcessFacts(Ending.disk_limit, None, 0, None), CheckOutcome.OUTPUT_LIMIT),
        (ProcessFacts(Ending.cancelled, None, 0, None), VoidCategory.UNKNOWN),
        (
            ProcessFacts(Ending.infrastructure, None, 0, None, "sandbox_setup"),
            VoidCategory.SANDBOX_SETUP,
        ),
        (ProcessFacts(Ending.infrastructure, None, 0, None, "disk_full"), VoidCategory.DISK_FULL),
        (ProcessFacts(Ending.infrastructure, None, 0, None, "new word"), VoidCategory.UNKNOWN),
        (ProcessFacts(Ending.infrastructure, None, 0, None), VoidCategory.UNKNOWN),
    ],
)
def test_a_check_says_what_the_measured_facts_say(
    facts: ProcessFacts, outcome: CheckOutcome | VoidCategory
) -> None:
    assert check_outcome(facts) is outcome


@pytest.mark.parametrize("ending", list(Ending))
def test_every_ending_has_an_outcome(ending: Ending) -> None:
    code = 0 if ending is Ending.exited else None
    assert check_outcome(ProcessFacts(ending, code, 0, None)) in {*CheckOutcome, *VoidCategory}


@pytest.mark.parametrize(
    ("ending", "code", "outcome"),
    [
        (Ending.exited, 0, CheckOutcome.PASSED),
        (Ending.exited, 1, CheckOutcome.BUILD_FAILED),
        (Ending.wall_timeout, None, CheckOutcome.BUILD_FAILED),
        (Ending.memory, None, CheckOutcome.BUILD_FAILED),
        (Ending.infrastructure, None, VoidCategory.UNKNOWN),
    ],
)
def test_a_build_that_the_farm_could_not_start_is_never_a_failed_build(
    ending: Ending, code: int | None, outcome: CheckOutcome | VoidCategory
) -> None:
    assert build_outcome(ending, code, None) is outcome


PASSED = RunOutcome(Verdict.PASSED)
FAILED = RunOutcome(Verdict.FAILED)
UNDELIVERED = RunOutcome(Verdict.FAILED, undelivered=True)
MISMATCH = RunOutcome(Verdict.VOID, void=VoidCategory.MANIFEST_MISMATCH)
AB = ("a", "b")


@pytest.mark.parametrize(
    ("planned", "judged", "outcome"),
    [
        (AB, JudgedFacts(True, (("a", OK), ("b", OK)), True), PASSED),
        (AB, JudgedFacts(True, (("b", OK), ("a", OK)), True), PASSED),
        (AB, JudgedFacts(True, (("a", OK), ("b", OK)), False), PASSED),
        (AB, JudgedFacts(True, (("a", OK), ("b", BAD)), True), FAILED),
        (AB, JudgedFacts(True, (("a", BAD), ("b", BAD)), False), UNDELIVERED),
        (AB, JudgedFacts(False, (("a", OK), ("b", OK)), True), FAILED),
        (AB, JudgedFacts(True, (("a", OK),), True), MISMATCH),
        (AB, JudgedFacts(True, (("a", OK), ("a", OK)), True), MISMATCH),
        (AB, JudgedFacts(True, (("a", OK), ("b", OK), ("b", OK)), True), MISMATCH),
        (AB, JudgedFacts(True, (("a", OK), ("b", OK), ("c", OK)), True), MISMATCH),
        (AB, JudgedFacts(True, (), True), MISMATCH),
        ((), JudgedFacts(True, (), True), MISMATCH),
    ],
)
def test_a_run_is_worth_what_all_planned_checks_say(
    planned: tuple[str, ...], judged: JudgedFacts, outcome: RunOutcome
) -> None:
    assert decide_outcome(planned, judged) == outcome
