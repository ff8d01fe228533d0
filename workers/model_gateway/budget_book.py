"""What one grant spent and holds, in tokens and micro-USD. Pure.

A call is held at the most that it can cost before it is made: a budget holds whatever runs beside.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Kind = Literal["cost", "tokens"]


@dataclass(frozen=True, slots=True)
class Hold:
    """What one call may use at most."""

    cost_microusd: int
    tokens: int


class BudgetBook:
    """The account of one grant; None is no limit."""

    def __init__(self, cost_microusd: int | None, tokens: int | None) -> None:
        self._most = {"cost": cost_microusd, "tokens": tokens}
        self.spent_cost = 0
        self.spent_tokens = 0
        self._held_cost = 0
        self._held_tokens = 0
        self.calls = 0
        """Calls that hold something."""

    def lacks(self, hold: Hold) -> Kind | None:
        """The budget in which there is no room for `hold` now."""
        needs: dict[Kind, Callable[[], int]] = {
            "cost": lambda: self.spent_cost + self._held_cost + hold.cost_microusd,
            "tokens": lambda: self.spent_tokens + self._held_tokens + hold.tokens,
        }
        for kind, needed in needs.items():
            most = self._most[kind]
            if most is not None and needed() > most:
                return kind
        return None

    def reserve(self, hold: Hold) -> None:
        """Hold it; ask `lacks` before."""
        self.calls += 1
        self._held_cost += hold.cost_microusd
        self._held_tokens += hold.tokens

    def settle(self, hold: Hold, cost_microusd: int, tokens: int) -> None:
        """Let a hold go and charge what was used instead."""
        self.calls -= 1
        self._held_cost -= hold.cost_microusd
        self._held_tokens -= hold.tokens
        self.charge(cost_microusd, tokens)

    def charge(self, cost_microusd: int, tokens: int) -> None:
        """Charge what was held nowhere."""
        self.spent_cost += cost_microusd
        self.spent_tokens += tokens
