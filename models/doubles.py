"""What stands more than once where it may stand once. Pure."""

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import TypeVar

Item = TypeVar("Item", bound=Hashable)


def doubles(items: Iterable[Item]) -> list[Item]:
    """Those that come more than once, each once and in the order of their first coming. One pass:
    what strangers send is as long as they like."""
    return [item for item, times in Counter(items).items() if times > 1]
