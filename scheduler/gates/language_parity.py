"""Do the languages of one task agree? Pure."""

from collections.abc import Iterator, Sequence

from models.schemas.gate import GateColour, GateReason, GateRule, ParityDecision, SubjectRow
from models.verdicts import CheckOutcome


def compare_languages(decisions: Sequence[ParityDecision]) -> tuple[GateReason, ...]:
    """Where the matrices of one task differ between languages; empty where none does.

    Each reason names one language: those that more than half of the others outvote, or all where
    there is no such majority. The failing check ids of each subject must be the same and block
    otherwise; a difference in how a check failed is told without blocking. Subjects without
    evidence are left to their own gate.
    Raises ValueError where the decisions are not about one task.
    """
    if len({decision.task for decision in decisions}) > 1:
        raise ValueError("compare_languages takes the decisions of one task")
    ordered = sorted(decisions, key=lambda decision: decision.language)
    reasons = list(_manifests_agree(ordered))
    subjects = list(dict.fromkeys(row.subject for decision in ordered for row in decision.rows))
    for subject in subjects:
        reasons += _subject_agrees(subject, ordered)
    return tuple(reasons)


def _manifests_agree(ordered: Sequence[ParityDecision]) -> Iterator[GateReason]:
    odd = _outvoted([decision.manifest_digest for decision in ordered])
    for decision in ordered:
        if decision.manifest_digest in odd:
            text = "it was asked other checks than another language: run its gate again"
            yield GateReason(rule=GateRule.ONE_MANIFEST, language=decision.language, text=text)


def _subject_agrees(subject: str, ordered: Sequence[ParityDecision]) -> Iterator[GateReason]:
    held = [(d, row) for d in ordered for row in d.rows if row.subject == subject and row.repeats]
    if not held:
        return
    for decision in ordered:
        if subject not in {row.subject for row in decision.rows}:
            text = "there is none here: every language needs the same subjects"
            yield _differs(decision, subject, "", text)
    for check in dict.fromkeys(check for _, row in held for check in row.outcomes):
        yield from _check_agrees(subject, check, held)


def _check_agrees(
    subject: str, check: str, held: Sequence[tuple[ParityDecision, SubjectRow]]
) -> Iterator[GateReason]:
    seen = [str(row.outcomes.get(check, "not asked")) for _, row in held]
    passing = [str(outcome == CheckOutcome.PASSED) for outcome in seen]
    odd, unusual = _outvoted(passing), _outvoted(seen)
    for (decision, _), outcome, passes in zip(held, seen, passing, strict=True):
        if outcome in unusual or passes in odd:
            others = {each for each in seen if each != outcome}
            text = f"{check} ends as {outcome} here, elsewhere as {' or '.join(sorted(others))}:"
            text += " make subject and check mean the same in every language"
            yield _differs(decision, subject, check, text, blocks=passes in odd)


def _outvoted(values: Sequence[str]) -> frozenset[str]:
    """Nothing where all are equal, else all but what more than half say; else all of them."""
    different = frozenset(values)
    if len(different) < 2:
        return frozenset()
    return frozenset(value for value in different if 2 * values.count(value) <= len(values))


def _differs(
    decision: ParityDecision, subject: str, check: str, text: str, *, blocks: bool = True
) -> GateReason:
    return GateReason(
        rule=GateRule.LANGUAGES_AGREE,
        subject=subject,
        check=check,
        language=decision.language,
        text=text,
        blocks=blocks,
    )


def with_language_reasons(
    decision: ParityDecision, reasons: Sequence[GateReason]
) -> ParityDecision:
    """The decision with what the comparison of languages says about its own language."""
    own = tuple(reason for reason in reasons if reason.language == decision.language)
    disproved = decision.colour is GateColour.GREEN and any(reason.blocks for reason in own)
    return decision.model_copy(
        update={
            "reasons": decision.reasons + own,
            "colour": GateColour.RED if disproved else decision.colour,
        }
    )
