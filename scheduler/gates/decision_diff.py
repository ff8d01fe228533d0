"""What lies between two decisions about one variant: contents, outcomes, reasons. Pure."""

from collections.abc import Iterator
from textwrap import wrap

from models.identifiers import short_digest
from models.schemas.base import Schema
from models.schemas.gate import ParityDecision


class Turned(Schema):
    """One value before and after; empty where there was, or is, none."""

    what: str
    before: str
    after: str


class DecisionDiff(Schema):
    """Two decisions about one variant, held against each other.

    `parts` are those of the universe that changed; `facts` colour, toolchain and isolation;
    `cells` the outcomes that turned (`subject: check`), those of new and removed ones among them;
    `reasons_new` and `reasons_gone` what stands against the verifier now, or does no more.
    """

    task: str
    language: str
    universe_before: str
    universe_after: str
    facts: tuple[Turned, ...]
    parts: tuple[Turned, ...]
    cells: tuple[Turned, ...]
    reasons_new: tuple[str, ...]
    reasons_gone: tuple[str, ...]


def diff_decisions(before: ParityDecision, after: ParityDecision) -> DecisionDiff:
    """The difference. Raises ValueError where the decisions are about two variants."""
    if (before.task, before.language) != (after.task, after.language):
        raise ValueError("diff_decisions takes two decisions about one variant")
    old, new = _reasons(before), _reasons(after)
    return DecisionDiff(
        task=after.task,
        language=after.language,
        universe_before=before.universe,
        universe_after=after.universe,
        facts=_turned(_facts(before), _facts(after)),
        parts=_turned(before.parts, after.parts),
        cells=_turned(_cells(before), _cells(after)),
        reasons_new=tuple(reason for reason in new if reason not in old),
        reasons_gone=tuple(reason for reason in old if reason not in new),
    )


def _facts(decision: ParityDecision) -> dict[str, str]:
    return {
        "colour": decision.colour.value,
        "toolchain": decision.toolchain,
        "isolation": decision.isolation,
    }


def _cells(decision: ParityDecision) -> dict[str, str]:
    return {
        f"{row.subject}: {check}": outcome.value
        for row in decision.rows
        for check, outcome in row.outcomes.items()
    }


def _reasons(decision: ParityDecision) -> list[str]:
    """Without the words, in which run numbers stand."""
    told = [
        ": ".join(part for part in (reason.rule, reason.subject, reason.check) if part)
        for reason in decision.reasons
        if reason.blocks
    ]
    return list(dict.fromkeys(told))


def _turned(before: dict[str, str], after: dict[str, str]) -> tuple[Turned, ...]:
    names = dict.fromkeys([*before, *after])
    pairs = ((name, before.get(name, ""), after.get(name, "")) for name in names)
    return tuple(Turned(what=name, before=old, after=new) for name, old, new in pairs if old != new)


def diff_lines(diff: DecisionDiff, width: int = 100) -> tuple[str, ...]:
    """The difference as text."""
    return tuple(line for part in _blocks(diff) for line in _wrapped(part, width))


def _blocks(diff: DecisionDiff) -> Iterator[str]:
    before, after = map(short_digest, (diff.universe_before, diff.universe_after))
    yield f"{diff.task}/{diff.language}: universe {before} -> {after}"
    yield "What changed in it:" if diff.parts else "Nothing changed in it."
    for part in diff.parts:
        yield f"  - {part.what} {_how(part)}"
    for fact in diff.facts:
        yield f"{fact.what}: {fact.before or 'none'} -> {fact.after or 'none'}"
    if not diff.cells:
        yield "Every subject ends as before on every check."
    for cell in diff.cells:
        yield f"  {cell.what}: {cell.before or 'not asked'} -> {cell.after or 'not asked'}"
    for title, reasons in (("New reasons:", diff.reasons_new), ("Gone:", diff.reasons_gone)):
        if reasons:
            yield title
        for reason in reasons:
            yield f"  - {reason}"


def _how(part: Turned) -> str:
    if not part.before:
        return "is new"
    return "changed" if part.after else "is gone"


def _wrapped(text: str, width: int) -> list[str]:
    inner = text.lstrip()
    lead = text[: len(text) - len(inner)]
    return wrap(inner, width, initial_indent=lead, subsequent_indent=lead + "    ")
