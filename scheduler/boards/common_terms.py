"""Whether the runs of several campaigns may be added up: only what was asked alike, and once."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from models.errors import Refused
from models.schemas.base import Schema
from models.schemas.campaign import SystemSpec
from models.schemas.campaign_progress import CampaignView

DRAWN_BY_REPEAT = frozenset({"stochastic"})
"""Agents whose every choice follows from their settings, the variant and the repeat: a second
campaign makes the same draws again, so that adding it up would count each of them twice."""


def refuse_other_terms(campaigns: Sequence[CampaignView]) -> None:
    """Raise Refused, naming what differs, unless `campaigns` may share a board."""
    found = [
        *_other_terms(campaigns),
        *_doubled_draws(campaigns),
        *_doubled_snapshots(campaigns),
        *_other_conditions(campaigns),
    ]
    if found:
        raise Refused(
            f"these campaigns can't be added up: {'; '.join(found)}.",
            remedy="Show them one by one, or together with campaigns that agree in these.",
        )


def _other_terms(campaigns: Sequence[CampaignView]) -> Iterator[str]:
    first = campaigns[0]
    for other in campaigns[1:]:
        pairs = (
            ("limits", first.spec.limits, other.spec.limits),
            ("policy", first.spec.policy, other.spec.policy),
        )
        for table, here, there in pairs:
            for field in _differing(here, there):
                values = (getattr(here, field), getattr(there, field))
                yield (
                    f"[{table}] {field} is {_shown(values[0])} in {first.id} and "
                    f"{_shown(values[1])} in {other.id}"
                )


def _differing(here: Schema, there: Schema) -> Iterator[str]:
    fields = type(here).model_fields
    return (field for field in fields if getattr(here, field) != getattr(there, field))


def _shown(value: object) -> str:
    return "the task's" if value is None else str(value)


def _doubled_draws(campaigns: Sequence[CampaignView]) -> Iterator[str]:
    for first, other in combinations(campaigns, 2):
        if not _share_variants(first, other):
            continue
        known = {system.id for system in _drawing(first)}
        for system in _drawing(other):
            if system.id in known:
                yield (
                    f"the system {system.name} makes the same draws in {first.id} and "
                    f"{other.id}: give it another seed and another name"
                )


def _doubled_snapshots(campaigns: Sequence[CampaignView]) -> Iterator[str]:
    graded = [(campaign.regrades or campaign.id, campaign.id) for campaign in campaigns]
    for (snapshots, first), (others, second) in combinations(graded, 2):
        if snapshots == others:
            yield f"{first} and {second} grade the same snapshots, of {snapshots}"


def _other_conditions(campaigns: Sequence[CampaignView]) -> Iterator[str]:
    """The agents of a regrade worked before its universe was there, perhaps on another ticket."""
    if len(campaigns) < 2:
        return
    for campaign in campaigns:
        if campaign.regrades is not None:
            yield f"{campaign.id} grades what agents left in the universe of {campaign.regrades}"


def _drawing(campaign: CampaignView) -> Iterator[SystemSpec]:
    return (system for system in campaign.spec.systems if system.agent in DRAWN_BY_REPEAT)


def _share_variants(first: CampaignView, other: CampaignView) -> bool:
    return bool(
        set(first.spec.tasks) & set(other.spec.tasks)
        and set(first.spec.languages) & set(other.spec.languages)
    )
