"""What an agent asks of the gateway, and what it is given."""

from collections.abc import Callable
from dataclasses import dataclass, field

import httpx

from models.schemas.model_call import GrantReport


@dataclass(frozen=True, slots=True)
class ModelNeeds:
    """The language models that a system may ask, and what it allows itself for one run.

    None is no limit of its own: the campaign's holds.
    """

    models: tuple[str, ...]
    cost_microusd: int | None = None
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class ModelAccess:
    """The way of one attempt to its models: the gateway with a key that nobody else has.

    `transport` reaches `base_url` whatever it is; the caller closes it. `report` tells all that was
    asked with the key so far; it raises Infrastructure where the gateway doesn't answer.
    """

    base_url: str
    key: str = field(repr=False)
    report: Callable[[], GrantReport]
    transport: Callable[[], httpx.BaseTransport] = httpx.HTTPTransport
