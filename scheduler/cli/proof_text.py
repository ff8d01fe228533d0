"""What `gradefarm gate run` says: why something is proved, and what came of it. Pure."""

from collections.abc import Iterator, Sequence
from textwrap import wrap

from models.counted_nouns import counted
from models.schemas.gate import ParityDecision
from scheduler.cli.progress_text import duration_text
from scheduler.gates.flips import flip_rate
from scheduler.gates.proof_cost import proof_cost
from scheduler.gates.proofs import VariantProof
from scheduler.statistics.flip_bound import repeats_to_bound

NAMED_CHANGES = 6
AIMED_RATE = 0.01


def plan_lines(to_prove: Sequence[VariantProof], known: int, width: int) -> Iterator[str]:
    """How many verifiers are to be proved, and why; variants with one reason in one paragraph."""
    held = known - len(to_prove)
    yield f"to prove: {len(to_prove)} of {counted(known, 'verifier')}" + (
        f"; {held} are proved already" if held else ""
    )
    by_reason: dict[tuple[str, ...], list[VariantProof]] = {}
    for proof in to_prove:
        by_reason.setdefault(proof.because, []).append(proof)
    for reason, proofs in by_reason.items():
        text = f"{_names(proofs)}: {_listed(reason)}"
        yield from wrap(text, width, initial_indent="  ", subsequent_indent="    ")


def _names(proofs: Sequence[VariantProof]) -> str:
    tasks = dict.fromkeys(proof.task for proof in proofs)
    return ", ".join(
        f"{task}/{{{','.join(found)}}}" if len(found) > 1 else f"{task}/{found[0]}"
        for task in tasks
        if (found := [proof.language for proof in proofs if proof.task == task])
    )


def _listed(reasons: Sequence[str]) -> str:
    more = len(reasons) - NAMED_CHANGES
    return ", ".join(reasons[:NAMED_CHANGES]) + (f" and {more} more" if more > 0 else "")


def flip_lines(decisions: Sequence[ParityDecision]) -> Iterator[str]:
    """What the repeats prove about flips, over all and for each verifier alone.

    Over all it is a bound of the mean rate: whoever wants one for each verifier needs that many
    repeats of each.
    """
    rates = [rate for decision in decisions for rate in decision.flip_rates]
    if not rates:
        return
    flips, repeats = sum(rate.flips for rate in rates), sum(rate.repeats for rate in rates)
    voids = sum(_voids(decision) for decision in decisions)
    whole = flip_rate("", flips, repeats)
    fewest = min(rate.repeats for rate in rates)
    worst = max(rate.upper_bound for rate in rates)
    percent = round(whole.confidence * 100)
    yield (
        f"flips: {flips} in {repeats} repeats, {voids} void: the mean rate of {len(rates)} "
        f"verifiers lies below {_percent(whole.upper_bound)} ({percent} % confidence)"
    )
    yield (
        f"each alone: at least {fewest} repeats, below {_percent(worst)}; "
        f"{repeats_to_bound(AIMED_RATE)} repeats without a flip would put it below "
        f"{_percent(AIMED_RATE)}"
    )


def _voids(decision: ParityDecision) -> int:
    """The void runs of the subjects whose rates are told: they are in no repeat."""
    rated = {rate.subject for rate in decision.flip_rates}
    return sum(row.voids for row in decision.rows if row.subject in rated)


def _percent(rate: float) -> str:
    return f"{rate * 100:.2g} %" if rate < 0.995 else "100 %"


def cost_lines(decisions: Sequence[ParityDecision], wall_s: float, held: int) -> Iterator[str]:
    """Time, processor time and builds of the gates that were run; `held` were not run again."""
    cost = proof_cost(decisions)
    yield (
        f"{len(decisions)} verifiers decided in {duration_text(wall_s)} with {cost.runs} graded "
        f"runs; {held} proved before"
    )
    share = f"{cost.compiler_share * 100:.0f} %"
    yield (
        f"{cost.cpu_s:.0f} s of processor time in sandboxes, {share} of it in compilers: "
        f"{cost.builds} builds made, {cost.spared} spared"
    )
