"""From a line to a command whose fields are all in their form and range."""

from collections.abc import Mapping
from dataclasses import dataclass

from invoicing.decimals import Decimal, parse_decimal
from invoicing.refusal import Refused
from invoicing.rounding import HALF_EVEN, HALF_UP

PERCENT = "percent"
AMOUNT = "amount"
LONGEST_NAME = 12
FINEST = 3
MOST_QUANTITY = 999_999_999
MOST_PERCENT = 100_000
"""Of a quantity and of a percentage, in thousandths."""

COMMANDS = {
    "currency": ("code", "digits"),
    "open": ("doc", "code", "rounding"),
    "line": ("doc", "line", "quantity", "price", "rate"),
    "discount": ("doc", "line", "kind", "value"),
    "rebate": ("doc", "kind", "value"),
    "lines": ("doc",),
    "total": ("doc",),
}
NAMES = ("code", "doc", "line")
CHOICES: dict[str, tuple[str, ...]] = {
    "digits": ("0", "2", "3"),
    "rounding": (HALF_UP, HALF_EVEN),
    "kind": (PERCENT, AMOUNT),
}
NUMBERS = ("quantity", "price", "rate", "value")


@dataclass(frozen=True)
class Request:
    """A command word, and its fields by name: all as words, and the numbers as numbers too."""

    command: str
    words: Mapping[str, str]
    numbers: Mapping[str, Decimal]


def parse(line: str) -> Request:
    """Return the request that a line is, or raise Refused."""
    command, *words = line.split(" ")
    if command not in COMMANDS:
        raise Refused("unknown_command")
    if len(words) != len(COMMANDS[command]):
        raise Refused("wrong_fields")
    fields = dict(zip(COMMANDS[command], words))
    if not all(1 <= len(fields[name]) <= LONGEST_NAME for name in NAMES if name in fields):
        raise Refused("bad_name")
    if any(fields[name] not in allowed for name, allowed in CHOICES.items() if name in fields):
        raise Refused("bad_word")
    numbers = {name: _number(fields[name]) for name in NUMBERS if name in fields}
    if not all(_allowed(name, number, fields) for name, number in numbers.items()):
        raise Refused("out_of_range")
    return Request(command, fields, numbers)


def _number(word: str) -> Decimal:
    number = parse_decimal(word)
    if number is None:
        raise Refused("bad_number")
    return number


def _allowed(name: str, number: Decimal, fields: Mapping[str, str]) -> bool:
    if name == "quantity":
        return (
            number.places <= FINEST
            and number.digits != 0
            and abs(number.scaled(FINEST)) <= MOST_QUANTITY
        )
    if name == "rate" or fields.get("kind") == PERCENT:
        return number.places <= FINEST and 0 <= number.scaled(FINEST) <= MOST_PERCENT
    return number.digits >= 0
