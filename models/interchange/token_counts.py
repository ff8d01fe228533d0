"""Token counts of other programs as the farm's five disjoint ones.

OpenAI and ATIF count cached tokens into what was read, Anthropic and Inspect don't; OpenAI, ATIF
and Inspect count reasoning into what was written.
"""

from models.schemas.model_call import TokenUsage


def of_inclusive(
    read: int, written: int, *, cached: int = 0, cache_write: int = 0, reasoning: int = 0
) -> TokenUsage:
    """Counts of which `read` holds `cached` and `cache_write`, and `written` holds `reasoning`.

    Parts that are larger than their whole are cut to it: programs round and estimate.
    """
    cached = min(cached, read)
    cache_write = min(cache_write, read - cached)
    reasoning = min(reasoning, written)
    return TokenUsage(
        input_uncached=read - cached - cache_write,
        cache_read=cached,
        cache_write=cache_write,
        output=written - reasoning,
        reasoning=reasoning,
    )


def of_exclusive(
    read: int, written: int, *, cached: int = 0, cache_write: int = 0, reasoning: int = 0
) -> TokenUsage:
    """Counts of which `read` holds neither `cached` nor `cache_write`; `written` is as above."""
    whole = read + cached + cache_write
    return of_inclusive(whole, written, cached=cached, cache_write=cache_write, reasoning=reasoning)


def whole_input(usage: TokenUsage) -> int:
    """All that was read, cached or not."""
    return usage.input_uncached + usage.cache_read + usage.cache_write


def whole_output(usage: TokenUsage) -> int:
    """All that was written, reasoning included."""
    return usage.output + usage.reasoning


def microusd(dollars: float | None) -> int | None:
    """An amount in US dollars, rounded to millionths."""
    return None if dollars is None else round(dollars * 1_000_000)
