"""The matrix of a parity decision as plain text: subject by check, with every reason. Pure."""

from collections.abc import Collection, Iterator, Sequence
from textwrap import wrap

from models.counted_nouns import counted
from models.schemas.gate import GateReason, ParityDecision, SubjectRow
from models.verdicts import CheckOutcome

SIGNS: dict[CheckOutcome, str] = {
    CheckOutcome.PASSED: ".",
    CheckOutcome.WRONG: "W",
    CheckOutcome.CRASH: "C",
    CheckOutcome.TIMEOUT: "T",
    CheckOutcome.MEMORY: "M",
    CheckOutcome.OUTPUT_LIMIT: "O",
    CheckOutcome.PROTOCOL: "P",
    CheckOutcome.BUILD_FAILED: "B",
    CheckOutcome.NOT_REACHED: "N",
}
UNKNOWN = "?"
NAME_COLUMNS = 44
RUNS_COLUMNS = 12


def matrix_lines(decision: ParityDecision, width: int = 100) -> tuple[str, ...]:
    """The decision in lines of at most `width` (at least 60) columns, without trailing blanks.

    Checks get numbers in plan order, explained below the matrix; with more checks than fit beside
    the subjects' names, the matrix goes on in further blocks.
    """
    lines = [
        *_head(decision, width),
        "",
        *_matrix(decision, width),
        *_legend(decision, width),
        "",
        *reason_lines(decision.reasons, width),
    ]
    return tuple(line.rstrip() for line in lines)


def reason_lines(reasons: Sequence[GateReason], width: int = 100) -> tuple[str, ...]:
    """Every reason, those that block first; each starts with its rule and language, if any."""
    if not reasons:
        return ("No reason stands against it.",)
    lines: list[str] = []
    for title, blocks in (("Reasons that block:", True), ("Good to know:", False)):
        chosen = [reason for reason in reasons if reason.blocks is blocks]
        lines += [title] if chosen else []
        for reason in chosen:
            place = f"{reason.language}: " if reason.language else ""
            subject = f"{reason.subject}: " if reason.subject else ""
            text = f"{reason.rule}: {place}{subject}{reason.text}"
            lines += wrap(text, width, initial_indent="  - ", subsequent_indent="    ")
    return tuple(lines)


def _head(decision: ParityDecision, width: int) -> Iterator[str]:
    blocking = sum(reason.blocks for reason in decision.reasons)
    why = f" ({counted(blocking, 'reason')} against it)" if blocking else ""
    yield from wrap(f"{decision.task}/{decision.language}: {decision.colour.upper()}{why}", width)
    facts = {
        "universe": decision.universe,
        "checks": decision.manifest_digest,
        "toolchain": decision.toolchain,
        "isolation": decision.isolation,
        "campaign": decision.campaign_id,
        "decided": decision.decided_at,
    }
    for name, value in facts.items():
        if value:
            yield from wrap(f"{name:<10} {value}", width, subsequent_indent=" " * 11)


def _matrix(decision: ParityDecision, width: int) -> Iterator[str]:
    names = [_short(row.subject) for row in decision.rows]
    column = max((len(name) for name in names), default=0)
    cell = len(str(len(decision.checks))) + 1
    per_block = max(1, (width - column - RUNS_COLUMNS) // cell)
    for first in range(0, len(decision.checks), per_block):
        checks = decision.checks[first : first + per_block]
        keys = "".join(f"{first + i + 1:>{cell}}" for i in range(len(checks)))
        yield f"{'':<{column}}{keys}  runs"
        for name, row in zip(names, decision.rows, strict=True):
            signs = "".join(f"{_sign(row, check):>{cell}}" for check in checks)
            yield f"{name:<{column}}{signs}  {runs_shown(row.repeats, row.voids)}"
        yield ""


def _sign(row: SubjectRow, check: str) -> str:
    outcome = row.outcomes.get(check)
    return UNKNOWN if outcome is None else SIGNS[outcome]


def runs_shown(graded: int, voids: int) -> str:
    """`2`, or `2+1v` where one run besides is void."""
    return f"{graded}+{voids}v" if voids else f"{graded}"


def _short(subject: str) -> str:
    return subject if len(subject) <= NAME_COLUMNS else subject[: NAME_COLUMNS - 3] + "..."


def _legend(decision: ParityDecision, width: int) -> Iterator[str]:
    used = {_sign(row, check) for row in decision.rows for check in decision.checks}
    voids = any(row.voids for row in decision.rows)
    yield from legend_lines(decision.checks, used, width, voids=voids)


def legend_lines(
    checks: Sequence[str], used: Collection[str], width: int, *, voids: bool, also: str = ""
) -> Iterator[str]:
    """The checks by number, and what the `used` signs mean; `also` is one more meaning."""
    digits = len(str(len(checks)))
    for number, check in enumerate(checks, start=1):
        yield f"{number:>{digits}} {check}"[:width]
    meanings = [f"{sign} {outcome}" for outcome, sign in SIGNS.items() if sign in used]
    meanings += [also] if also else []
    meanings += [f"{UNKNOWN} no evidence"] if UNKNOWN in used else []
    meanings += ["2+1v: 2 graded runs, 1 void"] if voids else []
    yield from wrap(", ".join(meanings), width)
