"""Runs the parity gates of variants, all at once, and waits for their decisions."""

import time
from collections.abc import Callable, Sequence

from scheduler.cli.watching import CampaignWatch
from scheduler.farm_access.farm import Farm
from scheduler.gates.proofs import ProofPlan

LOOK_S = 0.25


def settled_plan(
    plan: Callable[[], ProofPlan], on_look: Callable[[], None] | None = None
) -> ProofPlan:
    """What has to be proved, asked until no worker is still finding out which tools it has."""
    while (known := plan()).readying:
        if on_look:
            on_look()
        time.sleep(LOOK_S)
    return known


def follow_gates(
    farm: Farm,
    campaign_ids: Sequence[str],
    *,
    on_look: Callable[[], None] | None = None,
    aside: bool = False,
) -> CampaignWatch:
    """Watch gates that were begun until they are decided; returns what was watched.

    The scheduler decides when all runs of a gate have ended.
    """
    watch = CampaignWatch(farm, tuple(campaign_ids), on_look, aside=aside)
    watch.follow(until_settled=True)
    return watch
