"""Runs the parity gates of variants and waits for their decisions."""

from collections.abc import Callable

from scheduler.campaign_lifecycle import start_campaign
from scheduler.cli.farm_access import FarmAccess
from scheduler.cli.farm_life import living_workers, served_languages
from scheduler.cli.watching import CampaignWatch
from scheduler.gate_campaigns import gate_spec, proofs_of, unfinished_gate


def chosen_variants(
    farm: FarmAccess, task: str | None, language: str | None
) -> list[tuple[str, str]]:
    """The variants that the options leave. Raises NotFound for a name that is not there."""
    known = farm.variants()
    if task:
        farm.catalog.task(task)
    if language:
        farm.catalog.language(language)
    return [
        (name, spoken)
        for name, languages in known.items()
        for spoken in languages
        if task in (None, name) and language in (None, spoken)
    ]


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


def prove(
    farm: FarmAccess,
    variants: list[tuple[str, str]],
    *,
    repeats: int,
    force: bool,
    on_look: Callable[[], None] | None = None,
) -> list[CampaignWatch]:
    """Run the gates of all variants that are not green yet, one task after the other.

    A gate that was interrupted goes on where it was. The scheduler decides when all runs of a
    gate have ended; `proofs_of` reads the decisions. Returns what was watched.
    """
    watches: list[CampaignWatch] = []
    open_variants = [
        proof
        for proof in proofs_of(farm.database, farm.catalog, variants)
        if force or not proof.is_green
    ]
    for task in dict.fromkeys(proof.task for proof in open_variants):
        languages = [proof.language for proof in open_variants if proof.task == task]
        spec = gate_spec(farm.catalog.task(task), languages, repeats)
        going = unfinished_gate(farm.database, spec)
        campaign_id = (
            going.id
            if going
            else start_campaign(farm.database, farm.catalog, spec, farm.clock, unproven=True)
        )
        watch = CampaignWatch(farm, campaign_id, on_look)
        watch.follow(until_settled=True)
        watches.append(watch)
    return watches
