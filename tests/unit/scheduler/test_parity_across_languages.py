"""Languages agree where the same subjects fail the same checks; the matrix shows it in text."""

import pytest

from models.schemas.gate import GateColour, GateRule, ParityDecision, SubjectRow
from models.verdicts import CheckOutcome
from scheduler.gates.language_parity import compare_languages
from scheduler.gates.matrix_text import matrix_lines, reason_lines

PASSED, WRONG, CRASH = CheckOutcome.PASSED, CheckOutcome.WRONG, CheckOutcome.CRASH
SUBJECTS = ("reference", "starter", "fault:off")


def decision(
    language: str, fault: CheckOutcome = WRONG, repeats: int = 1, **changes: object
) -> ParityDecision:
    rows = (
        SubjectRow(
            subject="reference", outcomes={"one": PASSED, "two": PASSED}, built=True, repeats=3
        ),
        SubjectRow(subject="starter", outcomes={"one": WRONG, "two": WRONG}, built=True, repeats=1),
        SubjectRow(
            subject="fault:off",
            outcomes={"one": fault, "two": PASSED} if repeats else {},
            built=bool(repeats),
            repeats=repeats,
        ),
    )
    base = ParityDecision(
        task="adder",
        language=language,
        universe=f"u-{language}",
        manifest_digest="m",
        toolchain="t",
        isolation="strong",
        colour=GateColour.GREEN,
        reasons=(),
        checks=("one", "two"),
        rows=rows,
    )
    return base.model_copy(update=changes)


def test_equal_matrices_agree() -> None:
    assert compare_languages([decision("go"), decision("python"), decision("rust")]) == ()
    assert compare_languages([decision("go")]) == ()
    assert compare_languages([]) == ()


def test_the_odd_language_is_named_with_subject_and_check() -> None:
    reasons = compare_languages([decision("python"), decision("go", PASSED), decision("rust")])
    assert [(r.rule, r.language, r.subject, r.check, r.blocks) for r in reasons] == [
        (GateRule.LANGUAGES_AGREE, "go", "fault:off", "one", True)
    ]
    assert "one ends as passed here, elsewhere as wrong" in reasons[0].text


def test_without_a_majority_no_language_is_taken_to_be_right() -> None:
    reasons = compare_languages([decision("python"), decision("go", PASSED)])
    assert [(r.language, r.blocks) for r in reasons] == [("go", True), ("python", True)]
    split = compare_languages([decision("python", manifest_digest="n"), decision("go")])
    assert [(r.rule, r.language) for r in split] == [
        (GateRule.ONE_MANIFEST, "go"),
        (GateRule.ONE_MANIFEST, "python"),
    ]


def test_failing_in_another_way_is_told_without_blocking() -> None:
    reasons = compare_languages([decision("python"), decision("go", CRASH), decision("rust")])
    assert [(reason.language, reason.blocks) for reason in reasons] == [("go", False)]


def test_a_language_without_the_subject_blocks_and_one_without_evidence_is_left_out() -> None:
    fewer = decision("go").model_copy(update={"rows": decision("go").rows[:2]})
    reasons = compare_languages([decision("python"), fewer])
    assert [(r.language, r.subject) for r in reasons] == [("go", "fault:off")]
    assert compare_languages([decision("python"), decision("go", repeats=0)]) == ()


def test_other_checks_in_one_language_block() -> None:
    reasons = compare_languages(
        [decision("python"), decision("rust"), decision("go", manifest_digest="n")]
    )
    assert [(r.rule, r.language) for r in reasons] == [(GateRule.ONE_MANIFEST, "go")]


def test_decisions_of_two_tasks_are_not_compared() -> None:
    with pytest.raises(ValueError, match="one task"):
        compare_languages([decision("go"), decision("python", task="other")])


def wide(checks: int) -> ParityDecision:
    ids = tuple(f"check-with-a-rather-long-name-{number}" for number in range(checks))
    rows = [
        SubjectRow(subject=name, outcomes=dict.fromkeys(ids, WRONG), built=True, repeats=1, voids=2)
        for name in (*SUBJECTS, "fault:" + "a-very-long-fault-id" * 3)
    ]
    reasons = compare_languages([decision("python"), decision("go", PASSED), decision("rust")]) * 3
    return decision("go", checks=ids, rows=tuple(rows), reasons=reasons, toolchain="t" * 150)


@pytest.mark.parametrize("checks", [2, 12, 40, 150])
@pytest.mark.parametrize("width", [60, 100])
def test_the_matrix_fits_its_width_and_shows_every_check_and_subject(
    checks: int, width: int
) -> None:
    lines = matrix_lines(wide(checks), width)
    assert max(map(len, lines)) <= width
    text = "\n".join(lines)
    assert all(check in text for check in wide(checks).checks)
    assert sum(line.count(" W") for line in lines if line.startswith("reference")) == checks
    assert text.count("languages_agree") == 3


def test_the_matrix_of_a_small_decision_reads_so() -> None:
    lines = matrix_lines(decision("go", repeats=0, toolchain="go 1.26"))
    assert lines == (
        "adder/go: GREEN",
        "universe   u-go",
        "checks     m",
        "toolchain  go 1.26",
        "isolation  strong",
        "",
        "          1 2  runs",
        "reference . .  3",
        "starter   W W  1",
        "fault:off ? ?  0",
        "",
        "1 one",
        "2 two",
        ". passed, W wrong, ? no evidence",
        "",
        "No reason stands against it.",
    )


def test_blocking_reasons_come_first() -> None:
    reasons = [
        *compare_languages([decision("python"), decision("go", CRASH), decision("rust")]),
        *compare_languages([decision("python"), decision("go", PASSED), decision("rust")]),
    ]
    lines = reason_lines(reasons)
    assert lines[0] == "Reasons that block:"
    assert lines[1].startswith("  - languages_agree: go: fault:off: one ends as passed")
    assert "Good to know:" in lines
