"""How far a campaign is."""

from pydantic import Field

from models.schemas.base import Schema
from models.schemas.budget import Resource, Spend
from models.schemas.campaign import CampaignKind, CampaignSpec, CampaignState


class CampaignView(Schema):
    """A campaign as stored; `spec` is resolved: no wildcards. Times in epoch seconds.

    `planned` of `total` runs are inserted. `unproven`: started past a gate that isn't green.
    `problem`: why the farm could not do what was due for it; empty where nothing was wrong.
    `regrades`: the campaign whose frozen snapshots this one grades again.
    """

    id: str
    kind: CampaignKind
    state: CampaignState
    spec: CampaignSpec
    unproven: bool
    total: int
    planned: int
    created_at: float
    ended_at: float | None
    problem: str = ""
    regrades: str | None = None


class CampaignProgress(Schema):
    """Counts of runs; they sum to `total`. `voids` maps a category to runs that ended so.

    `failed` includes `undelivered`. `waiting` for the agent stage includes runs that aren't
    inserted yet; `frozen` wait to be graded. `spend` is kept of what is budgeted, and
    of what language models used: `cost` in millionths of a US dollar, `tokens`, and `wall` in
    milliseconds.
    """

    campaign_id: str
    state: CampaignState
    total: int
    waiting: int
    agent_queued: int = 0
    agent_leased: int = 0
    frozen: int = 0
    grade_queued: int = 0
    grade_leased: int = 0
    passed: int = 0
    failed: int = 0
    undelivered: int = 0
    cancelled: int = 0
    voids: dict[str, int] = Field(default_factory=dict)
    spend: dict[Resource, Spend] = Field(default_factory=dict[Resource, Spend])

    @property
    def graded(self) -> int:
        """Runs with a counted result."""
        return self.passed + self.failed

    @property
    def void(self) -> int:
        """Runs that will never count."""
        return sum(self.voids.values())

    @property
    def ended(self) -> int:
        """Runs that nothing will happen to any more."""
        return self.graded + self.void + self.cancelled
