"""Holds the evidence of one subject against what it must show. Pure."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from models.schemas.gate import GateReason, GateRule, GateRun
from models.verdicts import CheckOutcome
from scheduler.gates.subject_claims import Claim

NAMED_RUNS = 5


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
    """Every way in which the graded runs of the subject contradict its claim, each once.

    A reason names the runs that it was seen in.
    """
    seen: dict[_Finding, list[int]] = {}
    for run in evidence:
        for finding in _findings(claim, run):
            seen.setdefault(finding, []).append(run.run_id)
    for finding, runs in seen.items():
        yield GateReason(
            rule=finding.rule,
            subject=claim.subject,
            check=finding.check,
            text=f"{finding.what} in {_named(runs)}{finding.so}",
        )


class _Finding(NamedTuple):
    """One contradiction: what is so in some run, and what that means."""

    rule: GateRule
    check: str
    what: str
    so: str


def _findings(claim: Claim, run: GateRun) -> Iterator[_Finding]:
    if claim.must_build and not run.built:
        yield _Finding(claim.build_rule, "", "it does not build", ": correct its files")
        return
    for check, outcome in run.outcomes:
        finding = _judged(claim, check, outcome)
        if finding is not None:
            yield finding
    if claim.passing_rule and all(o is CheckOutcome.PASSED for _, o in run.outcomes):
        so = ", and solves nothing: add checks"
        yield _Finding(claim.passing_rule, "", "it passes every check", so)


def _judged(claim: Claim, check: str, outcome: CheckOutcome) -> _Finding | None:
    required = check in claim.required
    if outcome is CheckOutcome.PASSED:
        so = f" and must fail: {claim.remedy}"
        return _Finding(claim.required_rule, check, f"{check} passes", so) if required else None
    what = f"{check} ends as {outcome}"
    if not required and check not in claim.permitted:
        so = " and must pass: correct the check or the subject"
        return _Finding(claim.bounds_rule, check, what, so)
    if required and outcome not in claim.counted:
        counted = " or ".join(sorted(claim.counted))
        so = f", which does not count as caught ({counted} does)"
        return _Finding(claim.required_rule, check, what, so)
    return None


def _named(runs: Sequence[int]) -> str:
    if len(runs) == 1:
        return f"run {runs[0]}"
    listed = ", ".join(map(str, runs[:NAMED_RUNS]))
    more = len(runs) - NAMED_RUNS
    return f"{len(runs)} runs ({listed}{f' and {more} more' if more > 0 else ''})"
