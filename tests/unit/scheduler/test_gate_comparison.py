"""Languages side by side, and two universes of one variant."""

import pytest

from models.schemas.gate import GateColour
from scheduler.gates.decision_diff import diff_decisions, diff_lines
from scheduler.gates.language_matrix import (
    MatrixLanguage,
    language_matrix,
    language_matrix_lines,
)
from tests.unit.scheduler.gate_samples import PARTS, PASSED, WRONG, decision, row, survived


def languages(*names: str) -> list[MatrixLanguage]:
    return [MatrixLanguage(language=name, universe="u", colour=GateColour.GREEN) for name in names]


def test_languages_that_end_alike_share_one_sign() -> None:
    matrix = language_matrix(
        "adder", languages("alpha", "beta"), [decision("alpha"), decision("beta")]
    )
    assert matrix.agree
    lines = language_matrix_lines(matrix)
    assert "reference        . . .  2          2" in lines
    assert "fault:drops-sign . W .  2          2" in lines
    assert lines[-1] == "Every subject ends alike on every check in every language."


def test_a_difference_is_told_with_every_language() -> None:
    odd = decision("beta", fault=row("fault:drops-sign", PASSED, PASSED, PASSED))
    matrix = language_matrix("adder", languages("alpha", "beta"), [decision("alpha"), odd])
    assert not matrix.agree
    text = "\n".join(language_matrix_lines(matrix))
    assert "fault:drops-sign . ! .  2          2" in text
    assert "- fault:drops-sign: hidden-sum: alpha wrong, beta passed" in text


def test_void_runs_stand_beside_the_graded_ones() -> None:
    lame = row("fault:drops-sign", PASSED, WRONG, PASSED).model_copy(update={"voids": 2})
    decisions = [decision("alpha"), decision("beta", fault=lame)]
    text = "\n".join(
        language_matrix_lines(language_matrix("adder", languages("alpha", "beta"), decisions))
    )
    assert "fault:drops-sign . W .  2          2+2v" in text
    assert "2+1v: 2 graded runs, 1 void" in text


def test_a_language_without_evidence_differs_from_none() -> None:
    unproved = MatrixLanguage(language="gamma", universe="u", colour=None)
    matrix = language_matrix("adder", [*languages("alpha"), unproved], [decision("alpha")])
    assert matrix.agree
    assert "alpha green, gamma not run" in "\n".join(language_matrix_lines(matrix))


def test_a_diff_tells_contents_outcomes_and_reasons() -> None:
    after = decision(
        universe="sha256:" + "c" * 64,
        fault=row("fault:drops-sign", PASSED, PASSED, PASSED),
        reasons=(survived(),),
        parts={**PARTS, "check hidden-sum": "9f", "check hidden-new": "3c"},
        toolchain="alpha 1.1",
    )
    diff = diff_decisions(decision(), after)
    assert [(part.what, part.before, part.after) for part in diff.parts] == [
        ("check hidden-sum", "1a", "9f"),
        ("check hidden-new", "", "3c"),
    ]
    [cell] = diff.cells
    assert (cell.what, cell.before, cell.after) == (
        "fault:drops-sign: hidden-sum",
        "wrong",
        "passed",
    )
    assert diff.reasons_new == ("fault_is_caught: fault:drops-sign: hidden-sum",)
    text = "\n".join(diff_lines(diff))
    assert "adder/alpha: universe aaaaaaaaaaaa -> cccccccccccc" in text
    assert "  - check hidden-sum changed" in text
    assert "  - check hidden-new is new" in text
    assert "toolchain: alpha 1.0 -> alpha 1.1" in text
    assert "colour: green -> red" in text


def test_the_way_back_swaps_new_and_gone() -> None:
    before, after = (
        decision(),
        decision(fault=row("fault:drops-sign", PASSED, WRONG, WRONG), reasons=(survived(),)),
    )
    there, back = diff_decisions(before, after), diff_decisions(after, before)
    assert there.reasons_new == back.reasons_gone
    assert [(c.before, c.after) for c in there.cells] == [(c.after, c.before) for c in back.cells]
    assert diff_decisions(before, before).cells == ()


def test_two_variants_are_not_held_against_each_other() -> None:
    with pytest.raises(ValueError, match="one variant"):
        diff_decisions(decision("alpha"), decision("beta"))
