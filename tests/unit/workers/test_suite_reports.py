"""Reports of native suites are read strictly: what no runner writes is no report."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.checks.go_test_report import read_go_report
from workers.checks.libtest_report import read_libtest_report
from workers.checks.line_report import read_line_report
from workers.checks.suite_report import MOST_TESTS, NativeStatus, SuiteReport

NONCE = "a1b2"
PASSED, FAILED = NativeStatus.PASSED, NativeStatus.FAILED


def lines(*events: dict[str, object], nonce: str = NONCE) -> bytes:
    return "".join(f"{nonce} {json.dumps(event)}\n" for event in events).encode()


def begin(test: str) -> dict[str, object]:
    return {"event": "begin", "test": test}


def end(test: str, status: str = "passed") -> dict[str, object]:
    return {"event": "end", "test": test, "status": status, "detail": ""}


def done(tests: object) -> dict[str, object]:
    return {"event": "done", "tests": tests}


def said(report: SuiteReport) -> dict[str, NativeStatus]:
    return {test.name: test.status for test in report.ended}


def test_lines_are_read_to_their_end() -> None:
    report = read_line_report(
        lines(begin("a"), end("a"), begin("b"), end("b", "failed"), done(2)), NONCE
    )
    assert said(report) == {"a": PASSED, "b": FAILED}
    assert (report.complete, report.running, report.problem) == (True, (), "")


def test_lines_that_break_off_tell_what_was_running() -> None:
    whole = lines(begin("a"), end("a"), begin("b"), end("b"), done(2))
    report = read_line_report(whole[: whole.index(b'"end", "test": "b"')], NONCE)
    assert (said(report), report.running, report.complete) == ({"a": PASSED}, ("b",), False)
    assert not report.problem


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b"hello\n", "not marked"),
        (lines(begin("a"), nonce="b2a1"), "not marked"),
        (lines(begin("a"), end("b")), "fit together"),
        (lines(end("a")), "fit together"),
        (lines(begin("a"), begin("a")), "fit together"),
        (lines(begin("a"), done(0)), "fit together"),
        (lines(begin("a"), end("a", "splendid")), "fit together"),
        (lines({"event": "rest"}), "fit together"),
        (lines(begin("a"), end("a"), done(2)), "counts other tests"),
        (lines(begin("a"), end("a"), done("1")), "counts other tests"),
        (lines(done(0), begin("a")), "goes on"),
        (lines({"event": "begin", "test": 3}), "has no test"),
        (f"{NONCE} [1]\n".encode(), "no object"),
        (f"{NONCE} {{\n".encode(), ""),
        (f"{NONCE} ".encode() + b"\xff\n", "not UTF-8"),
    ],
)
def test_a_line_that_the_runner_does_not_write_spoils_the_report(text: bytes, problem: str) -> None:
    report = read_line_report(text, NONCE)
    assert report.problem
    assert problem in report.problem


def test_a_report_of_very_many_tests_is_none() -> None:
    events = [
        one for number in range(MOST_TESTS + 1) for one in (begin(str(number)), end(str(number)))
    ]
    assert str(MOST_TESTS) in read_line_report(lines(*events), NONCE).problem


GO = (
    "\x16=== RUN   TestA\n\x16=== RUN   TestA/one\nprinted\x16--- PASS: TestA/one (0.00s)\n"
    "\x16=== NAME  TestA\n\x16--- PASS: TestA (0.00s)\n\x16=== NAME  \n"
    "\x16=== RUN   TestB\n\x16=== PAUSE TestB\n\x16=== NAME  \n"
    "\x16=== RUN   TestC\n    a_test.go:3: no\n\x16--- FAIL: TestC (0.10s)\n\x16=== NAME  \n"
    "\x16=== CONT  TestB\n\x16--- SKIP: TestB (12.00s)\n\x16FAIL\n"
)


def test_go_tests_are_told_by_their_tops() -> None:
    report = read_go_report(GO.encode(), "")
    assert said(report) == {"TestA": PASSED, "TestC": FAILED, "TestB": NativeStatus.SKIPPED}
    assert (report.complete, report.problem) == (True, "")


def test_what_go_tests_print_without_a_mark_is_only_text() -> None:
    forged = "--- PASS: TestX (0.00s)\nPASS\n" + GO.replace("printed", "--- PASS: TestZ (0.00s)\n")
    assert said(read_go_report(forged.encode(), "")) == said(read_go_report(GO.encode(), ""))


def test_a_panic_leaves_its_test_running() -> None:
    text = "\x16=== RUN   TestA\n\x16--- PASS: TestA (0.00s)\n\x16=== RUN   TestB\n"
    panicked = text + "\x16--- FAIL: TestB (0.00s)\npanic: no [recovered]\n"
    for cut in (text, panicked):
        report = read_go_report(cut.encode(), "")
        assert (said(report), report.running) == ({"TestA": PASSED}, ("TestB",))
        assert not report.complete


@pytest.mark.parametrize(
    "text",
    [
        GO + "\x16=== RUN   TestD\n",
        GO.replace("=== CONT", "=== LOST"),
        GO.replace("\x16FAIL\n", "\x16--- PASS: TestA (0.00s)\n\x16FAIL\n"),
        GO.replace("\x16=== RUN   TestC\n", ""),
    ],
)
def test_a_marked_line_that_go_does_not_write_spoils_the_report(text: str) -> None:
    assert read_go_report(text.encode(), "").problem


RUST = (
    "\nrunning 4 tests\ntest a ... ok\ntest b - should panic ... ok\n"
    "test group::c ... printed aroundFAILED\ntest d ... ignored, not now\n\n"
    "failures:\n\n---- group::c stdout ----\ntest a ... ok\n\nfailures:\n    group::c\n\n"
    "test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; "
    "finished in 0.31s\n\n"
).replace("ignored, not now", "ignored")


def test_rust_tests_are_read_between_head_and_empty_line() -> None:
    report = read_libtest_report(RUST.encode(), "")
    expected = {"a": PASSED, "b": PASSED, "group::c": FAILED, "d": NativeStatus.SKIPPED}
    assert (said(report), report.complete, report.problem) == (expected, True, "")


def test_a_rust_program_that_dies_leaves_its_test_running() -> None:
    text = "\nrunning 2 tests\ntest a ... ok\ntest b ... "
    report = read_libtest_report(text.encode(), "")
    assert (said(report), report.running, report.complete) == ({"a": PASSED}, ("b",), False)


@pytest.mark.parametrize(
    "text",
    [
        RUST.replace("2 passed; 1 failed", "3 passed; 0 failed"),
        RUST.replace("running 4 tests", "running 3 tests"),
        RUST.replace("test a ... ok\ntest b", "test a ... ok\nok\ntest b"),
        RUST.replace("test d ... ignored", "test d ... well"),
        RUST + RUST[RUST.index("test result") :],
    ],
)
def test_totals_and_lines_must_be_those_of_the_rust_runner(text: str) -> None:
    assert read_libtest_report(text.encode(), "").problem


@given(st.binary(max_size=300), st.sampled_from([lines(begin("a")), GO.encode(), RUST.encode()]))
def test_no_bytes_make_a_reader_raise_or_invent_a_complete_report(
    noise: bytes, head: bytes
) -> None:
    for read in (read_line_report, read_go_report, read_libtest_report):
        read(noise + head + noise, NONCE)
        assert not read(noise, NONCE).complete
