"""What an agent asks of the gateway, and what it is given."""

from collections.abc import Callable
from dataclasses import dataclass, field

import httpx

from models.schemas.budget import Resource, in_units
from models.schemas.campaign import CampaignLimits
from models.schemas.model_call import GrantReport
from models.verdicts import StopReason
from workers.sandbox_door import GatewayDoor

EXHAUSTED = {"cost": StopReason.COST_BUDGET, "tokens": StopReason.TOKEN_BUDGET}
"""Why a run stops for which the gateway refused a call, by the budget that had no room."""


@dataclass(frozen=True, slots=True)
class ModelNeeds:
    """The language models that a system may ask, and what it allows itself for one run.

    None is no limit of its own: the campaign's holds.
    """

    models: tuple[str, ...]
    cost_microusd: int | None = None
    tokens: int | None = None

    def within(self, limits: CampaignLimits) -> "ModelNeeds":
        """The same, with the campaign's limits of one run where they are lower."""
        caps = in_units(limits.agent_cost_usd, limits.agent_tokens, None)
        return ModelNeeds(
            self.models,
            _lower(self.cost_microusd, caps.get(Resource.COST)),
            _lower(self.tokens, caps.get(Resource.TOKENS)),
        )


def _lower(one: int | None, other: int | None) -> int | None:
    return min((limit for limit in (one, other) if limit is not None), default=None)


@dataclass(frozen=True, slots=True)
class ModelAccess:
    """The way of one attempt to its models: the gateway with a key that nobody else has.

    `http` opens a client whose addresses begin at the gateway; the caller closes it. `door` makes a
    way for programs in the sandbox, open within its block. `report` tells all that was asked with
    the key so far; it raises Infrastructure where the gateway doesn't answer.
    """

    key: str = field(repr=False)
    http: Callable[[], httpx.AsyncClient]
    report: Callable[[], GrantReport]
    door: Callable[[], GatewayDoor]
