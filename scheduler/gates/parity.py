"""The parity gate: is the verifier of one variant proved? Pure.

Green needs all of this, with the very same checks for every subject:

- the reference passes every check in every repeat, asked in another order each time;
- the starter builds and fails exactly the declared checks;
- every planted fault builds, fails every required check and none that is not permitted;
- every control builds and ends as declared, and none passes a run;
- no comparator takes junk for an answer, or can't read it.

A run whose report isn't about exactly the planned checks, the task's manifest and the universe is
no evidence. Red needs evidence for everything: where a subject lacks it, or the runs don't fit
together, the decision is inconclusive, with all reasons, disproofs among them, listed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from models.schemas.gate import (
    REFERENCE,
    FlipRate,
    GateColour,
    GateReason,
    GateRule,
    GateRun,
    ParityDecision,
    ParityExpectation,
    SubjectRow,
    SubjectRun,
)
from models.verdicts import CheckOutcome
from scheduler.gates.claim_judging import claim_reasons, lack_reasons, void_reasons
from scheduler.gates.comparator_reasons import comparator_reasons
from scheduler.gates.flips import count_flips, flip_rate, flip_reasons
from scheduler.gates.limits_of_proof import limits_of_proof
from scheduler.gates.run_evidence import is_evidence, mixed_tools, strangers, unfit_reasons
from scheduler.gates.subject_claims import Claim, claims_of

LEAVES_OPEN = frozenset(
    {
        GateRule.SUBJECT_HAS_EVIDENCE,
        GateRule.COMPARATORS_WERE_PROBED,
        GateRule.SUBJECT_IS_DECLARED,
        GateRule.EVERY_CHECK_ONCE,
        GateRule.ONE_MANIFEST,
        GateRule.ONE_UNIVERSE,
        GateRule.ONE_TOOLCHAIN,
        GateRule.ONE_ISOLATION,
    }
)
"""Rules whose breach proves nothing about the verifier: the farm has to run again."""


@dataclass(frozen=True, slots=True)
class _Judged:
    """One subject: its row in the matrix, and everything against it."""

    row: SubjectRow
    reasons: tuple[GateReason, ...]


def decide_parity(
    expectation: ParityExpectation,
    runs: Sequence[GateRun],
    parts: Mapping[str, str] | None = None,
) -> ParityDecision:
    """Decide about one variant from the finished runs of its subjects; lists every reason.

    Runs may come in any order. `parts` are the digests of what the universe is made of, kept with
    the decision. `campaign_id` and `decided_at` are left for the caller.
    """
    judged = [_judge(expectation, claim, runs) for claim in claims_of(expectation)]
    reasons = [*strangers(expectation, runs), *mixed_tools(expectation, runs)]
    for one in judged:
        reasons += one.reasons
    reasons += limits_of_proof(expectation)
    graded = [run for run in runs if run.voided is None]
    return ParityDecision(
        task=expectation.task,
        language=expectation.language,
        universe=expectation.universe,
        manifest_digest=expectation.manifest_digest,
        toolchain=", ".join(sorted({run.toolchain for run in graded})),
        isolation=", ".join(sorted({run.isolation for run in graded})),
        colour=_colour(reasons),
        reasons=tuple(reasons),
        checks=expectation.checks,
        rows=tuple(one.row for one in judged),
        flip_rates=tuple(rate for one in judged if (rate := _rate(one.row))),
        parts=dict(parts or {}),
    )


def _colour(reasons: Sequence[GateReason]) -> GateColour:
    blocking = {reason.rule for reason in reasons if reason.blocks}
    if blocking & LEAVES_OPEN:
        return GateColour.INCONCLUSIVE
    return GateColour.RED if blocking else GateColour.GREEN


def _judge(expectation: ParityExpectation, claim: Claim, runs: Sequence[GateRun]) -> _Judged:
    own = sorted(
        (run for run in runs if run.subject == claim.subject),
        key=lambda run: (run.repeat, run.run_id),
    )
    evidence = [run for run in own if is_evidence(expectation, run)]
    reasons = [reason for run in own for reason in unfit_reasons(expectation, run)]
    reasons += [*void_reasons(claim, own), *lack_reasons(claim, evidence)]
    reasons += [*claim_reasons(claim, evidence), *flip_reasons(claim.subject, evidence)]
    if claim.subject == REFERENCE:
        reasons += comparator_reasons(evidence)
    return _Judged(_row(claim.subject, own, evidence), tuple(reasons))


def _row(subject: str, own: Sequence[GateRun], evidence: Sequence[GateRun]) -> SubjectRow:
    first = dict(evidence[0].outcomes) if evidence else {}
    fit = {run.run_id for run in evidence}
    return SubjectRow(
        subject=subject,
        outcomes=first,
        built=bool(evidence) and all(run.built for run in evidence),
        repeats=len(evidence),
        voids=sum(run.voided is not None for run in own),
        flips=count_flips(evidence),
        runs=tuple(
            SubjectRun(
                run_id=run.run_id,
                repeat=run.repeat,
                voided=run.voided,
                fit=run.run_id in fit or run.voided is not None,
                built=run.built,
                differs={} if run.run_id not in fit else _differences(first, run),
                evidence=run.evidence,
            )
            for run in own
        ),
    )


def _differences(first: Mapping[str, CheckOutcome], run: GateRun) -> dict[str, CheckOutcome]:
    return {check: outcome for check, outcome in run.outcomes if first.get(check) != outcome}


def _rate(row: SubjectRow) -> FlipRate | None:
    """Only repeats say anything; of the reference one is said anyway, since all of it is asked."""
    asked = row.repeats > 1 or (row.subject == REFERENCE and row.repeats)
    return flip_rate(row.subject, row.flips, row.repeats) if asked else None
