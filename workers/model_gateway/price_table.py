"""What tokens cost, by model and date. Pure.

All prices are whole micro-USD for a million tokens, all costs whole micro-USD, rounded up.
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Annotated

from pydantic import Field

from models.canonical import digest_of
from models.identifiers import Digest
from models.schemas.base import Schema
from models.schemas.model_call import TokenUsage

PER = 1_000_000
Rate = Annotated[int, Field(ge=0, le=10**12)]


class Price(Schema):
    """What a model's tokens cost from a day on, in micro-USD for a million of them.

    What is not given costs like `input` (both caches) or like `output` (reasoning).
    """

    model: str
    valid_from: date
    input: Rate
    output: Rate
    cache_read: Rate | None = None
    cache_write: Rate | None = None
    reasoning: Rate | None = None

    def cost(self, usage: TokenUsage) -> int:
        """What `usage` costs."""
        parts = (
            usage.input_uncached * self.input,
            usage.cache_read * _given(self.cache_read, self.input),
            usage.cache_write * _given(self.cache_write, self.input),
            usage.output * self.output,
            usage.reasoning * _given(self.reasoning, self.output),
        )
        return -(-sum(parts) // PER)

    def most(self, read: int, written: int) -> int:
        """The most that so many tokens of input and output can cost, whatever kind they are."""
        dearest_input = max(self.input, self.cache_read or 0, self.cache_write or 0)
        dearest_output = max(self.output, self.reasoning or 0)
        return -(-(read * dearest_input + written * dearest_output) // PER)


def _given(rate: int | None, otherwise: int) -> int:
    return otherwise if rate is None else rate


class PriceTable:
    """Dated prices of many models."""

    def __init__(self, prices: Sequence[Price]) -> None:
        self._prices = tuple(sorted(prices, key=lambda price: (price.model, price.valid_from)))

    @property
    def digest(self) -> Digest:
        """Names exactly these prices."""
        return digest_of([price.model_dump(mode="json") for price in self._prices])

    def at(self, model: str, day: date) -> Price | None:
        """The price of `model` on `day`; None where it has none yet."""
        valid = [one for one in self._prices if one.model == model and one.valid_from <= day]
        return valid[-1] if valid else None


def day_of(now: float) -> date:
    """The day in UTC of `now` in epoch seconds."""
    return datetime.fromtimestamp(now, UTC).date()
