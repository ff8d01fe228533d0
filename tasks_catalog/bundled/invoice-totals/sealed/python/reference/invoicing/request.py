"""From a line to a command whose fields are all in their form and range."""

from invoicing.decimals import parse_decimal
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
CHOICES = {
    "digits": ("0", "2", "3"),
    "rounding": (HALF_UP, HALF_EVEN),
    "kind": (PERCENT, AMOUNT),
}
NUMBERS = ("quantity", "price", "rate", "value")


def parse(line):
    """Return the command word and its fields by name, or raise Refused."""
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
    numbers = {name: parse_decimal(fields[name]) for name in NUMBERS if name in fields}
    if None in numbers.values():
        raise Refused("bad_number")
    if not all(_allowed(name, number, fields) for name, number in numbers.items()):
        raise Refused("out_of_range")
    return command, fields | numbers


def _allowed(name, number, fields):
    if name == "quantity":
        return (
            number.places <= FINEST
            and number.digits != 0
            and abs(number.scaled(FINEST)) <= MOST_QUANTITY
        )
    if name == "rate" or fields.get("kind") == PERCENT:
        return number.places <= FINEST and 0 <= number.scaled(FINEST) <= MOST_PERCENT
    return number.digits >= 0
