"""Runs the parity gates of variants, all at once, and waits for their decisions."""

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from models.schemas.campaign import CampaignSpec
from models.schemas.gate import REFERENCE, ParityDecision
from scheduler.campaign_lifecycle import cancel_campaign, start_campaign
from scheduler.cli.farm_access import FarmAccess
from scheduler.cli.farm_life import living_workers, served_languages, serving_tools
from scheduler.cli.watching import LOOK_S, CampaignWatch
from scheduler.gate_campaigns import (
    VariantProof,
    gate_spec,
    outdated_gates,
    proofs_of,
    unfinished_gate,
)


@dataclass(frozen=True)
class ProofPlan:
    """What is known of every variant asked for, and which of them are to be proved."""

    known: tuple[VariantProof, ...]
    to_prove: tuple[VariantProof, ...]
    repeats: int


def split_by_service(
    farm: FarmAccess, variants: list[tuple[str, str]]
) -> tuple[list[tuple[str, str]], list[str]]:
    """Variants that living workers serve or will serve, and the languages that none does.

    Where no worker lives, all are served: whoever starts one later does it.
    """
    workers = living_workers(farm)
    if not workers:
        return variants, []
    able = served_languages(workers)
    served = [variant for variant in variants if variant[1] in able]
    return served, sorted({language for _, language in variants if language not in able})


def plan_proofs(
    farm: FarmAccess,
    variants: Sequence[tuple[str, str]],
    *,
    repeats: int,
    force: bool,
    on_look: Callable[[], None] | None = None,
) -> ProofPlan:
    """Which of `variants` have to be proved, and why: `because` says it of each.

    A proof holds for its universe and the tools that it was made with, and for as many repeats of
    the reference as it has. With `force` all are proved again. Where there is a proof, and its
    language is only being made ready, waits until it is known with which tools.
    """
    proved = [proof for proof in proofs_of(farm.database, farm.catalog, variants) if proof.is_green]
    _await_tools(farm, {proof.language for proof in proved}, on_look)
    serving = serving_tools(living_workers(farm))
    known = proofs_of(farm.database, farm.catalog, variants, serving)
    open_proofs = [_opened(proof, repeats, force=force) for proof in known]
    return ProofPlan(tuple(known), tuple(one for one in open_proofs if one.because), repeats)


def _await_tools(
    farm: FarmAccess, languages: Collection[str], on_look: Callable[[], None] | None
) -> None:
    """Wait while a grade worker makes one of `languages` ready that none grades yet."""
    while True:
        workers = living_workers(farm)
        graders = [worker for worker in workers if "grade" in worker.roles]
        readied = {one for worker in graders for one in worker.warming}
        if not (readied & set(languages)) - serving_tools(workers).keys():
            return
        if on_look:
            on_look()
        time.sleep(LOOK_S)


def _opened(proof: VariantProof, repeats: int, *, force: bool) -> VariantProof:
    if proof.because or proof.decision is None:
        return proof
    had = _reference_repeats(proof.decision)
    if had < repeats:
        return replace(proof, because=(f"proved with {had} repeats, {repeats} are asked for",))
    return replace(proof, because=("asked for with --force",)) if force else proof


def _reference_repeats(decision: ParityDecision) -> int:
    return next((row.repeats for row in decision.rows if row.subject == REFERENCE), 0)


def prove(
    farm: FarmAccess,
    plan: ProofPlan,
    *,
    on_look: Callable[[], None] | None = None,
    aside: bool = False,
) -> CampaignWatch | None:
    """Run the gates of all variants of a plan side by side; None where there is none to prove.

    A gate that was interrupted goes on where it was; one whose universe has gone is cancelled. The
    scheduler decides when all runs of a gate have ended; `proofs_of` reads the decisions. Returns
    what was watched.
    """
    if not plan.to_prove:
        return None
    for outdated in outdated_gates(farm.database, farm.catalog, _tasks(plan)):
        cancel_campaign(farm.database, outdated, farm.clock)
    started = tuple(_started(farm, spec) for spec in _specs(farm, plan))
    watch = CampaignWatch(farm, started, on_look, aside=aside)
    watch.follow(until_settled=True)
    return watch


def _tasks(plan: ProofPlan) -> list[str]:
    return list(dict.fromkeys(proof.task for proof in plan.to_prove))


def _specs(farm: FarmAccess, plan: ProofPlan) -> Iterator[CampaignSpec]:
    for task in _tasks(plan):
        languages = [proof.language for proof in plan.to_prove if proof.task == task]
        yield gate_spec(farm.catalog.task(task), languages, plan.repeats)


def _started(farm: FarmAccess, spec: CampaignSpec) -> str:
    if going := unfinished_gate(farm.database, spec):
        return going.id
    return start_campaign(farm.database, farm.catalog, spec, farm.clock, unproven=True)
