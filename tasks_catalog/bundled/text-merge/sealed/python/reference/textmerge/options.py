"""How one merge is done."""

from dataclasses import dataclass, fields

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


KEYS = frozenset(field.name for field in fields(Options))


def read_options(words):
    pairs = [read_option(word) for word in words]
    values = dict(pairs)
    if len(values) < len(pairs):
        raise Refused("repeated_option")
    return Options(**values)


def read_option(word):
    key, sign, value = word.partition("=")
    if not sign or key not in KEYS:
        raise Refused("bad_option")
    if key == "size":
        return key, read_size(value)
    if value not in VALUES.get(key, (value,)):
        raise Refused("bad_option")
    return key, value


def read_size(value):
    size = read_number(value, LARGEST_SIZE)
    if size is None or size == 0:
        raise Refused("bad_option")
    return size


def read_number(word, most):
    """Return a number up to `most`, or None."""
    if not word or not DIGITS.issuperset(word) or (word[0] == "0" and len(word) > 1):
        return None
    # Long ones are not even looked at: they may have any number of digits.
    if len(word) > len(str(most)) or int(word) > most:
        return None
    return int(word)
