"""Native suites: honest code gets what it deserves, and no trick of ours ever passes."""

from collections.abc import Iterator

import pytest

from models.verdicts import CheckOutcome
from tasks_catalog.loading import load_runners
from tests.contract.suite_bench import FOLDER, RUNS, SuiteBench, SuiteBenches, suite_benches
from tests.contract.suite_samples import SAMPLES

pytestmark = pytest.mark.real

TRICKS = [(language, trick) for language, sample in SAMPLES.items() for trick in sample.tricks]
PASSED = CheckOutcome.PASSED


@pytest.fixture(scope="module")
def benches() -> Iterator[SuiteBenches]:
    with suite_benches() as made:
        yield made


@pytest.fixture
def bench(request: pytest.FixtureRequest, benches: SuiteBenches) -> SuiteBench:
    return benches.of(request.param)


every_language = pytest.mark.parametrize("bench", sorted(SAMPLES), indirect=True)


def test_every_runner_has_a_sample() -> None:
    assert set(load_runners(FOLDER)) == set(SAMPLES)


@every_language
def test_a_right_solution_passes_every_check(bench: SuiteBench) -> None:
    findings = bench.ask(bench.sample.right)
    said = {check: (r.outcome, r.evidence) for check, r in findings.checks.items()}
    assert {outcome for outcome, _ in said.values()} == {PASSED}, said
    assert set(said) == {RUNS, *bench.sample.tests.values()}
    assert findings.build.ok


@every_language
def test_a_wrong_solution_fails_every_test_and_the_suite_still_runs(bench: SuiteBench) -> None:
    outcomes = bench.outcomes(bench.sample.wrong)
    assert outcomes.pop(RUNS) is PASSED
    assert set(outcomes.values()) == {CheckOutcome.WRONG}


@every_language
def test_an_unfinished_solution_fails_and_the_suite_is_begun(bench: SuiteBench) -> None:
    outcomes = bench.outcomes(bench.sample.unfinished)
    assert outcomes.pop(RUNS) is PASSED
    assert PASSED not in outcomes.values()
    assert {CheckOutcome.WRONG, CheckOutcome.CRASH} & set(outcomes.values())


@pytest.mark.parametrize(("bench", "trick"), TRICKS, indirect=["bench"])
def test_no_trick_passes(bench: SuiteBench, trick: str) -> None:
    outcomes = bench.outcomes(bench.sample.wrong | bench.sample.tricks[trick])
    assert set(outcomes) == {RUNS, *bench.sample.tests.values()}
    assert set(outcomes.values()) != {PASSED}, outcomes


@every_language
def test_what_a_suite_prints_is_not_kept_since_it_may_show_what_was_expected(
    bench: SuiteBench,
) -> None:
    bench.kept.clear()
    findings = bench.ask(bench.sample.wrong)
    texts = [result.model_dump_json() for result in findings.checks.values()]
    assert not bench.kept
    assert "4242" not in "".join(texts)
    evidence = findings.checks[RUNS].evidence
    assert evidence is not None
    assert evidence.wall_s > 0
    assert evidence.stdout_bytes > 0


def test_judged_code_can_not_have_the_sealed_tests_kept(benches: SuiteBenches) -> None:
    bench = benches.of("python")
    bench.kept.clear()
    text = "import os, sys\nsys.stderr.write(open('/work/adder_test.py').read())\nos._exit(3)\n"
    findings = bench.ask({"adder.py": text})
    evidence = findings.checks[RUNS].evidence
    assert evidence is not None
    assert evidence.stderr_bytes > 0
    assert not bench.kept
    assert "test_negative" not in evidence.model_dump_json()


HEAD = "pub fn add(a: i64, b: i64) -> i64 {\n    a + b\n}\n"
TELLTALES = [
    ("rust", {"src/lib.rs": HEAD + 'compile_error!(include_str!("../tests/adder.rs"));\n'}),
    (
        "rust",
        {
            "src/lib.rs": HEAD + 'const TESTS: &str = include_str!("../tests/adder.rs");\n'
            'pub const TOLD: () = panic!("{}", TESTS);\n'
        },
    ),
    (
        "python",
        {
            "adder.py": "import sys\nTEXT = open('/work/adder_test.py').read()[60:]\n"
            "sys.modules['__main__'].name_of = lambda test: TEXT\n\n"
            "def add(a, b):\n    return a + b\n"
        },
    ),
    (
        "python",
        {
            "adder.py": "TEXT = open('/work/adder_test.py').read()[60:]\n\n"
            "def add(a, b):\n    raise type(TEXT, (Exception,), {})\n"
        },
    ),
]


@pytest.mark.parametrize(("bench", "files"), TELLTALES, indirect=["bench"])
def test_neither_compiler_nor_report_carries_the_sealed_tests_out(
    bench: SuiteBench, files: dict[str, str]
) -> None:
    bench.kept.clear()
    findings = bench.ask(files)
    assert not bench.kept
    said = [result.model_dump_json() for result in findings.checks.values()]
    told = findings.build.model_dump_json() + "".join(said)
    for word in ("assert", "negative(", "TestCase"):
        assert word not in told
    assert {result.outcome for result in findings.checks.values()} != {PASSED}


def test_the_compiler_is_quoted_where_it_builds_a_gates_subject(benches: SuiteBenches) -> None:
    findings = benches.of("rust").ask({"src/lib.rs": "no rust\n"}, trusted=True)
    assert findings.build.evidence is not None
    assert "error" in findings.build.evidence.stderr_text


def test_what_a_suite_of_a_gates_subject_said_before_its_first_test_is_kept(
    benches: SuiteBenches,
) -> None:
    files = {"adder.py": "raise RuntimeError('of no use')\n"}
    findings = benches.of("python").ask(files, trusted=True)
    evidence = findings.checks[RUNS].evidence
    assert evidence is not None
    assert "RuntimeError: of no use" in evidence.stderr_text


def test_a_suite_believes_what_is_equal_to_everything_as_every_boards_label_says(
    benches: SuiteBenches,
) -> None:
    """The limit of suites: an assertion shares a process with what it asks."""
    text = (
        "class Anything(int):\n"
        "    def __eq__(self, other):\n        return True\n"
        "    __hash__ = int.__hash__\n\n\n"
        "def add(a, b):\n    return Anything(0)\n"
    )
    outcomes = benches.of("python").outcomes({"adder.py": text})
    assert set(outcomes.values()) == {PASSED}
