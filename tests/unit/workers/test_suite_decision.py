"""What a suite is believed: everything, or nothing."""

from dataclasses import replace

import pytest

from models.schemas.suite import CanaryTexts
from models.verdicts import CheckOutcome, VoidCategory
from workers.checks.suite_canaries import draw_canaries
from workers.checks.suite_decision import Canaries, Finding, SuiteFacts, SuitePlan, decide_suite
from workers.checks.suite_report import NativeStatus, NativeTest, SuiteReport
from workers.sandbox.outcome import Ending

PLAN = SuitePlan(
    tests={"A": "a", "B": "b"},
    runs="runs",
    canaries=Canaries("", passing=frozenset({"good"}), failing=frozenset({"bad", "worse"})),
    failed_exit=1,
)
ENDED = (
    NativeTest("A", NativeStatus.PASSED),
    NativeTest("B", NativeStatus.PASSED),
    NativeTest("good", NativeStatus.PASSED),
    NativeTest("bad", NativeStatus.FAILED),
    NativeTest("worse", NativeStatus.ERROR),
)
WHOLE = SuiteFacts(Ending.exited, 1, None, SuiteReport(ENDED, complete=True))
P, W, C = CheckOutcome.PASSED, CheckOutcome.WRONG, CheckOutcome.CRASH
PROTOCOL, UNREACHED = CheckOutcome.PROTOCOL, CheckOutcome.NOT_REACHED


def decided(facts: SuiteFacts) -> list[CheckOutcome]:
    """The outcomes of runs, a and b."""
    findings = decide_suite(PLAN, facts)
    assert isinstance(findings, dict)
    assert list(findings) == ["runs", "a", "b"]
    return [finding.outcome for finding in findings.values()]


def with_tests(*tests: NativeTest, complete: bool = True) -> SuiteFacts:
    return replace(WHOLE, report=SuiteReport(tests, complete=complete))


def test_a_whole_report_with_its_canaries_is_believed() -> None:
    assert decided(WHOLE) == [P, P, P]


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (NativeStatus.FAILED, W),
        (NativeStatus.ERROR, C),
        (NativeStatus.SKIPPED, PROTOCOL),
    ],
)
def test_a_test_is_worth_what_the_report_says(status: NativeStatus, outcome: CheckOutcome) -> None:
    assert decided(with_tests(NativeTest("A", status), *ENDED[1:])) == [P, outcome, P]


@pytest.mark.parametrize(
    "tests",
    [
        (NativeTest("A", NativeStatus.FAILED, "SECRET"), *ENDED[1:]),
        (NativeTest("SECRET", NativeStatus.FAILED), *ENDED),
        (NativeTest("SECRET", NativeStatus.FAILED), NativeTest("SECRET", NativeStatus.FAILED)),
    ],
)
def test_only_a_report_of_trusted_code_is_quoted(tests: tuple[NativeTest, ...]) -> None:
    facts = with_tests(*tests)
    silent, told = decide_suite(PLAN, facts), decide_suite(replace(PLAN, quotes=True), facts)
    assert "SECRET" not in str(silent)
    assert "SECRET" in str(told)
    assert decided(facts)[1] is not P


def test_a_planned_test_that_is_missing_is_not_passed() -> None:
    assert decided(with_tests(*ENDED[1:])) == [P, PROTOCOL, P]


@pytest.mark.parametrize(
    "facts",
    [
        with_tests(*ENDED, ENDED[0]),
        with_tests(*ENDED, NativeTest("C", NativeStatus.PASSED)),
        with_tests(*ENDED[:4], NativeTest("worse", NativeStatus.PASSED)),
        with_tests(*ENDED[:4], NativeTest("worse", NativeStatus.SKIPPED)),
        with_tests(*ENDED[:2], NativeTest("good", NativeStatus.FAILED), *ENDED[3:]),
        with_tests(*ENDED[:4]),
        with_tests(*ENDED[:2], *ENDED[3:]),
        replace(WHOLE, exit_code=0),
        replace(WHOLE, exit_code=2),
        replace(WHOLE, report=replace(WHOLE.report, problem="it is no report")),
        replace(WHOLE, report=replace(WHOLE.report, running=("B",))),
        replace(WHOLE, exit_code=0, report=SuiteReport()),
        replace(WHOLE, exit_code=0, report=SuiteReport(ENDED[:1], ("B",))),
    ],
    ids=[
        "twice",
        "unknown",
        "failing canary passed",
        "failing canary skipped",
        "passing canary failed",
        "failing canary missing",
        "passing canary missing",
        "status 0",
        "another status",
        "no report",
        "ended and running",
        "left at once",
        "left in a test",
    ],
)
def test_one_sign_of_foul_play_and_no_check_passes(facts: SuiteFacts) -> None:
    assert decided(facts) == [PROTOCOL] * 3
    findings = decide_suite(PLAN, facts)
    assert isinstance(findings, dict)
    assert all("not believed" in finding.text for finding in findings.values())


@pytest.mark.parametrize(
    ("ending", "outcome"),
    [
        (Ending.exited, C),
        (Ending.signalled, C),
        (Ending.wall_timeout, CheckOutcome.TIMEOUT),
        (Ending.memory, CheckOutcome.MEMORY),
        (Ending.output_limit, CheckOutcome.OUTPUT_LIMIT),
    ],
)
def test_the_test_in_which_a_suite_ends_is_to_blame(ending: Ending, outcome: CheckOutcome) -> None:
    code = 2 if ending is Ending.exited else None
    facts = SuiteFacts(ending, code, None, SuiteReport((), ("A",)))
    assert decided(facts) == [P, outcome, UNREACHED]


@pytest.mark.parametrize("running", [(), ("good",)])
@pytest.mark.parametrize("ended", [(), ENDED[:2]])
def test_a_suite_that_ends_outside_its_tests_never_passes_as_a_whole(
    ended: tuple[NativeTest, ...], running: tuple[str, ...]
) -> None:
    facts = SuiteFacts(Ending.signalled, None, None, SuiteReport(ended, running))
    outcomes = decided(facts)
    assert outcomes[0] is C
    assert outcomes[1:] == ([P, P] if ended else [UNREACHED] * 2)


def test_a_suite_that_is_killed_after_its_end_never_passes_as_a_whole() -> None:
    assert decided(replace(WHOLE, ending=Ending.wall_timeout, exit_code=None))[0] is not P


def test_what_is_not_known_to_be_the_suites_doing_is_the_farms() -> None:
    facts = replace(WHOLE, ending=Ending.infrastructure, infrastructure="disk_full")
    assert decide_suite(PLAN, facts) is VoidCategory.DISK_FULL


def test_a_finding_of_trusted_code_says_what_the_runner_says_and_no_more() -> None:
    plan = replace(PLAN, quotes=True)
    told = decide_suite(plan, with_tests(NativeTest("A", NativeStatus.FAILED, "no"), *ENDED[1:]))
    assert isinstance(told, dict)
    assert told["a"] == Finding(W, "no")


TEXTS = CanaryTexts(
    native="Test_{name}", passing=("ok {name};",), failing=("no {name};", "never {name};")
)


def test_canaries_have_other_names_every_time_and_as_many_pass_as_fail() -> None:
    first, second = draw_canaries(TEXTS), draw_canaries(TEXTS)
    names = [first.passing, first.failing, second.passing, second.failing]
    assert [len(one) for one in names] == [2] * 4
    assert len(frozenset[str]().union(*names)) == 8
    for name in first.failing:
        bare = name.removeprefix("Test_")
        assert f"no {bare};" in first.text or f"never {bare};" in first.text


def test_every_way_of_failing_is_among_the_canaries() -> None:
    text = draw_canaries(TEXTS).text
    assert (text.count("no "), text.count("never "), text.count("ok ")) == (1, 1, 2)
