"""How one merge is done."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from textmerge.refusal import Refused

DIGITS = frozenset("0123456789")
LARGEST_SIZE = 40
VALUES = {
    "compare": ("exact", "ends", "trailing", "all"),
    "style": ("short", "full"),
    "favour": ("none", "mine", "theirs"),
}


@dataclass(frozen=True)
class Options:
    """The option words of a header; `mine`, `base` and `theirs` are labels."""

    compare: str = "exact"
    style: str = "short"
    size: int = 7
    favour: str = "none"
    mine: str = "mine"
    base: str = "base"
    theirs: str = "theirs"


def read_options(words: Sequence[str]) -> Options:
    options = Options()
    for word in words:
        options = with_option(options, word)
    if len({word.partition("=")[0] for word in words}) < len(words):
        raise Refused("repeated_option")
    return options


def with_option(options: Options, word: str) -> Options:
    key, sign, value = word.partition("=")
    if not sign or value not in VALUES.get(key, (value,)):
        raise Refused("bad_option")
    match key:
        case "compare":
            return replace(options, compare=value)
        case "style":
            return replace(options, style=value)
        case "size":
            return replace(options, size=read_size(value))
        case "favour":
            return replace(options, favour=value)
        case "mine":
            return replace(options, mine=value)
        case "base":
            return replace(options, base=value)
        case "theirs":
            return replace(options, theirs=value)
    raise Refused("bad_option")


def read_size(value: str) -> int:
    size = read_number(value, LARGEST_SIZE)
    if size is None or size == 0:
        raise Refused("bad_option")
    return size


def read_number(word: str, most: int) -> int | None:
    """Return a number up to `most`, or None."""
    if not word or not DIGITS.issuperset(word) or (word[0] == "0" and len(word) > 1):
        return None
    # Long ones are not even looked at: they may have any number of digits.
    if len(word) > len(str(most)) or int(word) > most:
        return None
    return int(word)
