"""What a campaign may use up, and what it has: exact, in whole units of each resource."""

from decimal import Decimal
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from models.schemas.base import Schema

MICRO = 1_000_000
MILLI = 1_000

Usd = Annotated[Decimal, Field(gt=0, le=100_000_000, max_digits=15, decimal_places=6)]
"""US dollars, exact to a millionth."""


class Resource(StrEnum):
    """What is budgeted. Counted in millionths of a US dollar, tokens, and milliseconds."""

    COST = "cost"
    TOKENS = "tokens"
    WALL = "wall"


class Budget(Schema):
    """What all runs of a campaign together may use in the agent stage; None is no limit.

    `wall_s` adds up the seconds that agents work, however many do at once.
    """

    cost_usd: Usd | None = None
    tokens: int | None = Field(default=None, ge=1, le=10**15)
    wall_s: float | None = Field(default=None, gt=0, le=10**10)

    def totals(self) -> dict[Resource, int]:
        """The resources that are limited, in whole units."""
        return in_units(self.cost_usd, self.tokens, self.wall_s)


def in_units(
    cost_usd: Decimal | None, tokens: int | None, wall_s: float | None
) -> dict[Resource, int]:
    """Those of the amounts that are given, in whole units of their resource."""
    units = {
        Resource.COST: None if cost_usd is None else int(cost_usd * MICRO),
        Resource.TOKENS: tokens,
        Resource.WALL: None if wall_s is None else round(wall_s * MILLI),
    }
    return {resource: amount for resource, amount in units.items() if amount is not None}


class Used(Schema):
    """What an attempt used, in whole units; None is not known."""

    cost_microusd: int | None = Field(default=None, ge=0)
    tokens: int | None = Field(default=None, ge=0)
    wall_ms: int | None = Field(default=None, ge=0)

    def charge(self, resource: Resource, reserved: int) -> int:
        """What is charged where so much was reserved: what was used, or all where nobody knows.

        Never more than the reservation for time: what goes beyond is the farm's own.
        """
        used = self.of(resource)
        if used is None:
            return reserved
        return min(used, reserved) if resource is Resource.WALL else used

    def of(self, resource: Resource) -> int | None:
        """The amount of one resource."""
        amounts = {
            Resource.COST: self.cost_microusd,
            Resource.TOKENS: self.tokens,
            Resource.WALL: self.wall_ms,
        }
        return amounts[resource]


UNKNOWN_USE = Used()


class Spend(Schema):
    """One resource of a campaign, in whole units. `reserved` is held for runs at work.

    `total` is None where nothing limits it. `run_cap` is what one run may use, and reserves.
    """

    spent: int
    reserved: int
    total: int | None = None
    run_cap: int = 0

    @property
    def is_used_up(self) -> bool:
        """Whether what is left is not enough for one more run."""
        return self.total is not None and self.total - self.spent - self.reserved < self.run_cap


def amount_text(resource: Resource, amount: int) -> str:
    """`1.25 USD`, `300,000 tokens`, `90.5 s`."""
    match resource:
        case Resource.COST:
            return f"{Decimal(amount) / MICRO:,.6f}".rstrip("0").rstrip(".") + " USD"
        case Resource.TOKENS:
            return f"{amount:,} token{'' if amount == 1 else 's'}"
        case Resource.WALL:
            return f"{amount / MILLI:,.3f}".rstrip("0").rstrip(".") + " s"
