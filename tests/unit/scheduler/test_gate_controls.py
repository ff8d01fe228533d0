"""How controls must end follows from the checks alone."""

import pytest
from pydantic import JsonValue

from models.schemas.check import Check
from models.schemas.gate import Control, ControlExpectation
from models.schemas.task import TaskManifest
from models.verdicts import CheckOutcome
from scheduler.gates.controls import control_expectations


def check(check_id: str, stdin: str, stdout: JsonValue, exit_code: int = 0) -> Check:
    return Check.model_validate(
        {
            "id": check_id,
            "title": check_id,
            "transport": "process",
            "input": {"stdin": stdin},
            "expect": {"stdout": stdout, "exit": exit_code},
            "compare": {"kind": "text" if isinstance(stdout, str) else "json-lines"},
        }
    )


CHECKS = (
    check("shown", "1 2\n", "3\n"),
    check("shown-empty", "", ""),
    check("shown-refusal", "!\n", "no\n", 2),
    check("hidden", "2 2\n", "4\n"),
    check("hidden-again", "1 2\n", "3\n"),
    check("hidden-nothing", "\n", []),
    check("hidden-refusal", "?\n", "", 2),
)
MANIFEST = TaskManifest.model_validate(
    {
        "schema": 1,
        "kind": "ticket",
        "id": "adder",
        "title": "Adder",
        "version": 1,
        "languages": ["python"],
        "limits": {"agent_wall_s": 60},
        "checks": [
            {
                "id": one.id,
                "title": one.title,
                "visibility": "visible" if one.id.startswith("shown") else "hidden",
            }
            for one in CHECKS
        ],
        "starter": {"fails": ["hidden"]},
    }
)


@pytest.fixture
def owed() -> dict[Control, ControlExpectation]:
    return {one.control: one for one in control_expectations(MANIFEST, CHECKS)}


def test_there_is_an_expectation_for_every_control(
    owed: dict[Control, ControlExpectation],
) -> None:
    assert list(owed) == list(Control)
    assert all(one.must_build for one in owed.values())


@pytest.mark.parametrize(
    "control", [Control.EXIT, Control.FORGED_PASS, Control.ECHO, Control.EVERY_ANSWER]
)
def test_who_knows_nothing_fails_whatever_expects_an_answer(
    control: Control, owed: dict[Control, ControlExpectation]
) -> None:
    assert owed[control].required == (
        "shown",
        "shown-refusal",
        "hidden",
        "hidden-again",
        "hidden-refusal",
    )
    assert owed[control].permitted == ("shown-empty", "hidden-nothing")
    assert set(owed[control].outcomes) == {CheckOutcome.WRONG, CheckOutcome.PROTOCOL}


def test_who_sleeps_fails_everything_by_the_clock(owed: dict[Control, ControlExpectation]) -> None:
    assert owed[Control.SLEEP].required == MANIFEST.check_ids
    assert owed[Control.SLEEP].outcomes == (CheckOutcome.TIMEOUT,)


def test_who_knows_the_examples_passes_them_and_fails_all_that_is_new(
    owed: dict[Control, ControlExpectation],
) -> None:
    examples = owed[Control.VISIBLE_EXAMPLES]
    assert examples.required == ("shown-refusal", "hidden", "hidden-refusal")
    assert examples.permitted == ("hidden-again", "hidden-nothing")


def test_an_echo_may_pass_where_the_right_answer_is_the_input() -> None:
    checks = (
        check("sorted", "a\nb\n", "a\nb\n"),
        check("values", "1\n[2]\n", [1, [2]]),
        check("no-values", "1\n\n", [1]),
        check("one-line", '"\u2028"\n', ["\u2028"]),
        check("refused", "x\n", "x\n", 2),
        check("unsorted", "b\na\n", "a\nb\n"),
    )
    owed = {one.control: one for one in control_expectations(MANIFEST, checks)}
    assert owed[Control.ECHO].required == ("no-values", "refused", "unsorted")
    assert owed[Control.ECHO].permitted == ("sorted", "values", "one-line")
    assert owed[Control.EVERY_ANSWER].required == tuple(one.id for one in checks)
