"""When a provider is asked again, and after how long. Pure."""

import re

from workers.model_gateway.configuration import Provider

FARM_REFUSED = frozenset({401, 402, 403, 404, 405})
"""The provider refuses the farm: its key is wrong, may not do this or is out of credit, or its
address or the model's name is wrong."""
SAID_TO_BOTH = frozenset({403, 404})
"""Of these, what it also says to one request while it answers others: of a filter, of a thing that
the request names."""
TOO_LARGE, TOO_MANY, OWN_DOING = 413, 429, 422
"""What a client is told where its request alone stands in the way: no client tries that again, nor
takes it for the farm's trouble."""
_ID = re.compile(rb"\w*\d\w*")


def is_providers_fault(status: int) -> bool:
    """Whether an answer is the provider's own trouble, which may pass."""
    return status in {408, 409, 425, 429} or status >= 500


def may_be_own(status: int) -> bool:
    """Whether a refusal may be of the farm or of one request: providers say with a 400, too, that
    the credit is used up or the key not valid."""
    if status in FARM_REFUSED:
        return status in SAID_TO_BOTH
    return 400 <= status < 500 and status != TOO_LARGE and not is_providers_fault(status)


def is_same_refusal(body: bytes, other: bytes) -> bool:
    """Whether two refusals are in the same words, whatever ids are among them."""
    return _ID.sub(b"", body) == _ID.sub(b"", other)


def is_too_large(body: bytes) -> bool:
    """Whether a 429 is about one request that is over a limit by itself, as OpenAI answers it."""
    return b"request too large" in body.lower()


def pause_before(
    provider: Provider, failures: int, retry_after: str | None, chance: float
) -> float:
    """Seconds until the next try after `failures` in a row (from 1); `chance` is in [0, 1).

    Twice as long each time up to the longest, between half and all of it; never shorter than the
    provider asked for.
    """
    whole = min(provider.longest_pause_s, provider.first_pause_s * 2 ** min(failures - 1, 30))
    return max(whole * (0.5 + chance / 2), asked_pause(retry_after))


def asked_pause(retry_after: str | None) -> float:
    """The seconds that a Retry-After header asks for; 0 where it asks for none, or for a date."""
    try:
        asked = float(retry_after or 0)
    except ValueError:
        return 0.0
    return asked if 0 <= asked < 10**6 else 0.0
