"""The parity gate: is the verifier of one variant proved, and do the languages agree? Pure.

Green needs all of this, with the very same checks for every subject:

- the reference passes every check in every repeat;
- the starter builds and fails exactly the declared checks;
- every planted fault builds, fails every required check and none that is not permitted.

What counts as caught is narrow, so that a broken verifier can't look strict. For a fault only the
outcome `wrong` counts; a timeout counts for the kinds `non_terminating` and `quadratic_time`, a
crash for the kind `crashing`. An undeclared crash might as well be a patch that spoils the program
as a whole, and build failures, memory, output limits and checks not reached say more about limits
than about the check. The starter may also crash or answer in no readable form, since an unfinished
program does that.

A run whose report isn't about exactly the planned checks, the task's manifest and the universe is
no evidence. Red needs evidence for everything: where a subject lacks it, or the runs don't fit
together, the decision is inconclusive, with all reasons, disproofs among them, listed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from models.schemas.gate import (
    REFERENCE,
    STARTER,
    GateColour,
    GateReason,
    GateRule,
    GateRun,
    ParityDecision,
    ParityExpectation,
    SubjectRow,
    fault_subject,
)
from models.schemas.task import Fault, FaultKind
from models.verdicts import CheckOutcome

LEAVES_OPEN = frozenset(
    {
        GateRule.SUBJECT_HAS_EVIDENCE,
        GateRule.SUBJECT_IS_DECLARED,
        GateRule.EVERY_CHECK_ONCE,
        GateRule.ONE_MANIFEST,
        GateRule.ONE_UNIVERSE,
        GateRule.ONE_TOOLCHAIN,
        GateRule.ONE_ISOLATION,
    }
)
"""Rules whose breach proves nothing about the verifier: the farm has to run again."""

STARTER_OUTCOMES = frozenset({CheckOutcome.WRONG, CheckOutcome.CRASH, CheckOutcome.PROTOCOL})
FAULT_OUTCOMES: dict[FaultKind, frozenset[CheckOutcome]] = {
    FaultKind.NON_TERMINATING: frozenset({CheckOutcome.WRONG, CheckOutcome.TIMEOUT}),
    FaultKind.QUADRATIC_TIME: frozenset({CheckOutcome.WRONG, CheckOutcome.TIMEOUT}),
    FaultKind.CRASHING: frozenset({CheckOutcome.WRONG, CheckOutcome.CRASH}),
}


def caught_by(kind: FaultKind) -> frozenset[CheckOutcome]:
    """The outcomes that prove that a check caught a fault of this kind."""
    return FAULT_OUTCOMES.get(kind, frozenset({CheckOutcome.WRONG}))


@dataclass(frozen=True, slots=True)
class _Claim:
    """What a subject must show: builds, fails `required`, fails nothing else but `permitted`."""

    subject: str
    required: frozenset[str]
    permitted: frozenset[str]
    counted: frozenset[CheckOutcome]
    repeats: int
    build_rule: GateRule
    required_rule: GateRule
    bounds_rule: GateRule


def decide_parity(expectation: ParityExpectation, runs: Sequence[GateRun]) -> ParityDecision:
    """Decide about one variant from the finished runs of its subjects; lists every reason.

    Runs may come in any order. `campaign_id` and `decided_at` are left for the caller.
    """
    claims = [_claim(expectation, subject) for subject in expectation.subjects]
    reasons = [*_strangers(expectation, runs), *_one_of_each(expectation, runs)]
    rows: list[SubjectRow] = []
    for claim in claims:
        own = sorted(
            (run for run in runs if run.subject == claim.subject),
            key=lambda run: (run.repeat, run.run_id),
        )
        unfit = [reason for run in own for reason in _unfit(expectation, run)]
        evidence = [run for run in own if run.voided is None and not any(_unfit(expectation, run))]
        reasons += [*unfit, *_voids(claim, own), *_enough(claim, evidence)]
        reasons += [*_judged(claim, evidence), *_flips(claim, evidence)]
        rows.append(_row(claim.subject, own, evidence))
    return ParityDecision(
        task=expectation.task,
        language=expectation.language,
        universe=expectation.universe,
        manifest_digest=expectation.manifest_digest,
        toolchain=", ".join(sorted({run.toolchain for run in runs if run.voided is None})),
        isolation=", ".join(sorted({run.isolation for run in runs if run.voided is None})),
        colour=_colour(reasons),
        reasons=tuple(reasons),
        checks=expectation.checks,
        rows=tuple(rows),
    )


def _colour(reasons: Sequence[GateReason]) -> GateColour:
    blocking = {reason.rule for reason in reasons if reason.blocks}
    if blocking & LEAVES_OPEN:
        return GateColour.INCONCLUSIVE
    return GateColour.RED if blocking else GateColour.GREEN


def _claim(expectation: ParityExpectation, subject: str) -> _Claim:
    if subject == REFERENCE:
        return _Claim(
            subject,
            required=frozenset(),
            permitted=frozenset(),
            counted=frozenset(),
            repeats=expectation.reference_repeats,
            build_rule=GateRule.REFERENCE_BUILDS,
            required_rule=GateRule.REFERENCE_PASSES,
            bounds_rule=GateRule.REFERENCE_PASSES,
        )
    if subject == STARTER:
        return _Claim(
            subject,
            required=frozenset(expectation.starter_fails),
            permitted=frozenset(),
            counted=STARTER_OUTCOMES,
            repeats=1,
            build_rule=GateRule.STARTER_BUILDS,
            required_rule=GateRule.STARTER_FAILS_AS_DECLARED,
            bounds_rule=GateRule.STARTER_FAILS_AS_DECLARED,
        )
    fault = next(fault for fault in expectation.faults if fault_subject(fault.id) == subject)
    return _fault_claim(fault)


def _fault_claim(fault: Fault) -> _Claim:
    return _Claim(
        fault_subject(fault.id),
        required=frozenset(fault.required),
        permitted=frozenset(fault.permitted),
        counted=caught_by(fault.kind),
        repeats=1,
        build_rule=GateRule.FAULT_BUILDS,
        required_rule=GateRule.FAULT_IS_CAUGHT,
        bounds_rule=GateRule.FAULT_STAYS_IN_BOUNDS,
    )


def _strangers(expectation: ParityExpectation, runs: Sequence[GateRun]) -> Iterator[GateReason]:
    known = set(expectation.subjects)
    for subject in sorted({run.subject for run in runs} - known):
        text = "it has runs, but the task declares no such subject: start a new gate"
        yield GateReason(rule=GateRule.SUBJECT_IS_DECLARED, subject=subject, text=text)


def _one_of_each(expectation: ParityExpectation, runs: Sequence[GateRun]) -> Iterator[GateReason]:
    graded = [run for run in runs if run.voided is None and run.subject in expectation.subjects]
    for rule, what, found in (
        (GateRule.ONE_TOOLCHAIN, "toolchain", {run.toolchain for run in graded}),
        (GateRule.ONE_ISOLATION, "isolation", {run.isolation for run in graded}),
    ):
        if "" in found:
            text = f"a graded run names no {what}: run the gate again on a worker that reports it"
            yield GateReason(rule=rule, text=text)
        if len(found - {""}) > 1:
            listed = "; ".join(sorted(found - {""}))
            text = f"the runs used more than one {what} ({listed}): run the gate again with one"
            yield GateReason(rule=rule, text=text)


def _unfit(expectation: ParityExpectation, run: GateRun) -> Iterator[GateReason]:
    if run.universe != expectation.universe:
        text = f"run {run.run_id} is of universe {run.universe or 'none'}: start a new gate"
        yield GateReason(rule=GateRule.ONE_UNIVERSE, subject=run.subject, text=text)
    if run.voided is not None:
        return
    if run.manifest_digest != expectation.manifest_digest:
        text = f"run {run.run_id} was asked the checks {run.manifest_digest or 'unknown'}, not the"
        text += " task's: bring its worker's catalogue up to date and run the gate again"
        yield GateReason(rule=GateRule.ONE_MANIFEST, subject=run.subject, text=text)
    yield from _miscounted(expectation.checks, run)


def _miscounted(planned: tuple[str, ...], run: GateRun) -> Iterator[GateReason]:
    executed = [check for check, _ in run.outcomes]
    for check in sorted({*planned, *executed}, key=lambda c: (c not in planned, c)):
        times = executed.count(check)
        if times == 1 and check in planned:
            continue
        what = "is not planned but reported" if check not in planned else f"is reported {times}x"
        text = f"run {run.run_id}: {check} {what}; every planned check must be there exactly once"
        yield GateReason(
            rule=GateRule.EVERY_CHECK_ONCE, subject=run.subject, check=check, text=text
        )
    if sorted(executed) == sorted(planned) and tuple(executed) != planned:
        text = f"run {run.run_id} reports the checks in another order than the plan's"
        yield GateReason(rule=GateRule.EVERY_CHECK_ONCE, subject=run.subject, text=text)


def _voids(claim: _Claim, own: Sequence[GateRun]) -> Iterator[GateReason]:
    for run in own:
        if run.voided is not None:
            text = f"run {run.run_id} is void ({run.voided}) and proves nothing"
            yield GateReason(rule=GateRule.NO_VOIDS, subject=claim.subject, text=text, blocks=False)


def _enough(claim: _Claim, evidence: Sequence[GateRun]) -> Iterator[GateReason]:
    if len(evidence) < claim.repeats:
        text = f"{len(evidence)} of {claim.repeats} graded runs count as evidence:"
        text += " mend what made the others void or unfit, and run the gate again"
        yield GateReason(rule=GateRule.SUBJECT_HAS_EVIDENCE, subject=claim.subject, text=text)


def _judged(claim: _Claim, evidence: Sequence[GateRun]) -> Iterator[GateReason]:
    for run in evidence:
        if not run.built:
            text = f"it does not build in run {run.run_id}: correct its files"
            yield GateReason(rule=claim.build_rule, subject=claim.subject, text=text)
            continue
        for check, outcome in run.outcomes:
            yield from _judged_check(claim, run, check, outcome)


def _judged_check(
    claim: _Claim, run: GateRun, check: str, outcome: CheckOutcome
) -> Iterator[GateReason]:
    failed = outcome is not CheckOutcome.PASSED
    where = f"in run {run.run_id}"
    if check in claim.required and not failed:
        text = f"{check} passes {where} and must fail: sharpen the check or correct the subject"
        yield _reason(claim.required_rule, claim, check, text)
    elif failed and check not in claim.required | claim.permitted:
        text = f"{check} ends as {outcome} {where} and must pass: correct the check or the subject"
        yield _reason(claim.bounds_rule, claim, check, text)
    elif failed and check in claim.required and outcome not in claim.counted:
        counted = " or ".join(sorted(claim.counted))
        text = f"{check} ends as {outcome} {where}, which does not count as caught ({counted} does)"
        yield _reason(claim.required_rule, claim, check, text)


def _reason(rule: GateRule, claim: _Claim, check: str, text: str) -> GateReason:
    return GateReason(rule=rule, subject=claim.subject, check=check, text=text)


def _flips(claim: _Claim, evidence: Sequence[GateRun]) -> Iterator[GateReason]:
    if len({run.built for run in evidence}) > 1:
        text = "it builds in some repeats and not in others: make the build deterministic"
        yield _reason(GateRule.NO_FLIPS, claim, "", text)
    built = [dict(run.outcomes) for run in evidence if run.built]
    for check in built[0] if built else ():
        seen = [outcomes[check] for outcomes in built]
        if len(set(seen)) > 1:
            listed = ", ".join(seen)
            text = f"{check} flips between repeats ({listed}): make check and subject deterministic"
            yield _reason(GateRule.NO_FLIPS, claim, check, text)


def _row(subject: str, own: Sequence[GateRun], evidence: Sequence[GateRun]) -> SubjectRow:
    return SubjectRow(
        subject=subject,
        outcomes=dict(evidence[0].outcomes) if evidence else {},
        built=bool(evidence) and all(run.built for run in evidence),
        repeats=len(evidence),
        voids=sum(run.voided is not None for run in own),
        run_ids=tuple(run.run_id for run in own),
    )


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
