"""Holds the evidence of one subject against what it must show. Pure."""

from collections.abc import Iterator, Sequence

from models.schemas.gate import GateReason, GateRule, GateRun
from models.verdicts import CheckOutcome
from scheduler.gates.subject_claims import Claim


def void_reasons(claim: Claim, own: Sequence[GateRun]) -> Iterator[GateReason]:
    """One reason, which doesn't block, for each void run of the subject."""
    for run in own:
        if run.voided is not None:
            text = f"run {run.run_id} is void ({run.voided}) and proves nothing"
            yield GateReason(rule=GateRule.NO_VOIDS, subject=claim.subject, text=text, blocks=False)


def lack_reasons(claim: Claim, evidence: Sequence[GateRun]) -> Iterator[GateReason]:
    """A reason where the subject has less evidence than was asked for."""
    if len(evidence) < claim.repeats:
        text = f"{len(evidence)} of {claim.repeats} graded runs count as evidence:"
        text += " mend what made the others void or unfit, and run the gate again"
        yield GateReason(rule=GateRule.SUBJECT_HAS_EVIDENCE, subject=claim.subject, text=text)


def claim_reasons(claim: Claim, evidence: Sequence[GateRun]) -> Iterator[GateReason]:
    """Every way in which the graded runs of the subject contradict its claim."""
    for run in evidence:
        if claim.must_build and not run.built:
            text = f"it does not build in run {run.run_id}: correct its files"
            yield GateReason(rule=claim.build_rule, subject=claim.subject, text=text)
            continue
        for check, outcome in run.outcomes:
            yield from _judged(claim, run, check, outcome)
        if claim.passing_rule and all(o is CheckOutcome.PASSED for _, o in run.outcomes):
            text = f"it passes run {run.run_id} as a whole, and solves nothing: add checks"
            yield _reason(claim.passing_rule, claim, "", text)


def _judged(claim: Claim, run: GateRun, check: str, outcome: CheckOutcome) -> Iterator[GateReason]:
    failed = outcome is not CheckOutcome.PASSED
    where = f"in run {run.run_id}"
    if not failed:
        if check in claim.required:
            text = f"{check} passes {where} and must fail: {claim.remedy}"
            yield _reason(claim.required_rule, claim, check, text)
    elif check not in claim.required | claim.permitted:
        text = f"{check} ends as {outcome} {where} and must pass: correct the check or the subject"
        yield _reason(claim.bounds_rule, claim, check, text)
    elif check in claim.required and outcome not in claim.counted:
        counted = " or ".join(sorted(claim.counted))
        text = f"{check} ends as {outcome} {where}, which does not count as caught ({counted} does)"
        yield _reason(claim.required_rule, claim, check, text)


def _reason(rule: GateRule, claim: Claim, check: str, text: str) -> GateReason:
    return GateReason(rule=rule, subject=claim.subject, check=check, text=text)
