"""All languages of one task in one matrix: where do they end alike, and where not? Pure."""

from collections.abc import Iterator, Sequence
from textwrap import wrap

from models.counted_nouns import counted
from models.schemas.base import Schema
from models.schemas.gate import GateColour, ParityDecision
from models.verdicts import CheckOutcome
from scheduler.gates.matrix_text import SIGNS, UNKNOWN, legend_lines, runs_shown

DIFFERS = "!"


class MatrixLanguage(Schema):
    """One language of a matrix, as its newest decision has it; no colour where there is none."""

    language: str
    universe: str
    colour: GateColour | None


class MatrixRow(Schema):
    """One subject: the outcome of every check in every language that has evidence for it.

    `graded` and `voids` count its runs over all languages; only graded ones are evidence.
    """

    subject: str
    graded: int
    voids: int
    outcomes: dict[str, dict[str, CheckOutcome]]

    def differing(self) -> tuple[str, ...]:
        """The checks on which languages end otherwise than each other."""
        return tuple(check for check, seen in self.outcomes.items() if len(set(seen.values())) > 1)


class LanguageMatrix(Schema):
    """The languages × subjects × checks of one task. `agree` is true where no cell differs."""

    task: str
    languages: tuple[MatrixLanguage, ...]
    checks: tuple[str, ...]
    rows: tuple[MatrixRow, ...]
    agree: bool


def language_matrix(
    task: str, languages: Sequence[MatrixLanguage], decisions: Sequence[ParityDecision]
) -> LanguageMatrix:
    """The matrix of one task from the decisions that there are; `languages` names all of them."""
    checks = list(dict.fromkeys(check for one in decisions for check in one.checks))
    subjects = list(dict.fromkeys(row.subject for one in decisions for row in one.rows))
    rows = tuple(_row(subject, checks, decisions) for subject in subjects)
    return LanguageMatrix(
        task=task,
        languages=tuple(languages),
        checks=tuple(checks),
        rows=rows,
        agree=not any(row.differing() for row in rows),
    )


def _row(subject: str, checks: Sequence[str], decisions: Sequence[ParityDecision]) -> MatrixRow:
    held = [
        (decision.language, row)
        for decision in decisions
        for row in decision.rows
        if row.subject == subject
    ]
    outcomes = {
        check: {language: row.outcomes[check] for language, row in held if check in row.outcomes}
        for check in checks
    }
    return MatrixRow(
        subject=subject,
        graded=sum(row.repeats for _, row in held),
        voids=sum(row.voids for _, row in held),
        outcomes=outcomes,
    )


def language_matrix_lines(matrix: LanguageMatrix, width: int = 100) -> tuple[str, ...]:
    """The matrix in lines: one sign where all languages agree, `!` and a line where not."""
    lines = [*_head(matrix, width), "", *_table(matrix), *_legend(matrix, width), ""]
    lines += _differences(matrix, width)
    return tuple(line.rstrip() for line in lines)


def _head(matrix: LanguageMatrix, width: int) -> Iterator[str]:
    told = [f"{one.language} {one.colour or 'not run'}" for one in matrix.languages]
    yield f"{matrix.task}: {counted(len(matrix.languages), 'language')}"
    yield from wrap(", ".join(told), width, initial_indent="  ", subsequent_indent="  ")


def _table(matrix: LanguageMatrix) -> Iterator[str]:
    column = max((len(row.subject) for row in matrix.rows), default=0)
    cell = len(str(len(matrix.checks))) + 1
    numbers = range(1, len(matrix.checks) + 1)
    yield " " * column + "".join(f"{number:>{cell}}" for number in numbers) + "  languages  runs"
    for row in matrix.rows:
        signs = "".join(f"{_sign(seen):>{cell}}" for seen in row.outcomes.values())
        spoken = {language for seen in row.outcomes.values() for language in seen}
        shown = runs_shown(row.graded, row.voids)
        yield f"{row.subject:<{column}}{signs}  {len(spoken):<{len('languages')}}  {shown}"
    yield ""


def _sign(seen: dict[str, CheckOutcome]) -> str:
    kinds = set(seen.values())
    if not kinds:
        return UNKNOWN
    return SIGNS[kinds.pop()] if len(kinds) == 1 else DIFFERS


def _legend(matrix: LanguageMatrix, width: int) -> Iterator[str]:
    used = {_sign(seen) for row in matrix.rows for seen in row.outcomes.values()}
    voids = any(row.voids for row in matrix.rows)
    also = f"{DIFFERS} languages differ" if DIFFERS in used else ""
    yield from legend_lines(matrix.checks, used, width, voids=voids, also=also)


def _differences(matrix: LanguageMatrix, width: int) -> Iterator[str]:
    if matrix.agree:
        yield "Every subject ends alike on every check in every language."
        return
    yield "Where languages differ:"
    for row in matrix.rows:
        for check in row.differing():
            seen = row.outcomes[check]
            told = ", ".join(f"{language} {outcome}" for language, outcome in seen.items())
            text = f"{row.subject}: {check}: {told}"
            yield from wrap(text, width, initial_indent="  - ", subsequent_indent="    ")
