"""From a line to a command whose fields are all in their form and range."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ledger.outcome import Refused

LONGEST_NAME = 20
LONGEST_NUMBER = 15
# [0-9], since \d takes the digits of every script
NUMBER = re.compile(r"0|[1-9][0-9]*")
LATEST = 999_999_999_999
LARGEST = 999_999_999_999_999

Posting = tuple[str, str, int]
"""Payer, payee, amount."""


@dataclass(frozen=True)
class Field:
    """A field is a name unless it has a range."""

    name: str
    range: tuple[int, int] | None = None


AT = Field("at", (0, LATEST))
ACCOUNT = Field("account")
AMOUNT = Field("amount", (1, LARGEST))
POSTING = (Field("payer"), Field("payee"), AMOUNT)
KEYED = (AT, Field("client"), Field("key"))
COMMANDS: dict[str, tuple[Field, ...]] = {
    "account": (ACCOUNT, Field("currency"), Field("overdraft", (0, LARGEST))),
    "post": KEYED,
    "hold": (*KEYED, ACCOUNT, AMOUNT, Field("until", (0, LATEST))),
    "capture": (*KEYED, Field("hold"), Field("payee"), AMOUNT),
    "release": (*KEYED, Field("hold")),
    "reverse": (*KEYED, Field("transaction")),
    "balance": (AT, ACCOUNT),
    "statement": (Field("start", (0, LATEST)), Field("end", (0, LATEST)), ACCOUNT),
}


@dataclass(frozen=True)
class Request:
    """A command, its fields by name, and the postings of a `post`."""

    command: str
    names: Mapping[str, str]
    numbers: Mapping[str, int]
    postings: Sequence[Posting]
    content: tuple[str, ...]

    @property
    def is_keyed(self) -> bool:
        return "key" in self.names


def parse(line: str) -> Request:
    """Return the request that a line is, or raise Refused."""
    command, *words = line.split(" ")
    if command not in COMMANDS:
        raise Refused("unknown_command")
    fields = COMMANDS[command]
    count = (len(words) - len(fields)) // len(POSTING) if command == "post" else 0
    all_fields = (*fields, *POSTING * count)
    if len(words) != len(all_fields) or (command == "post" and count < 1):
        raise Refused("wrong_fields")
    given = list(zip(all_fields, words))
    _check(given)
    named = given[: len(fields)]
    names = {field.name: word for field, word in named if field.range is None}
    numbers = {field.name: int(word) for field, word in named if field.range is not None}
    postings = [
        (words[i], words[i + 1], int(words[i + 2]))
        for i in range(len(fields), len(words), len(POSTING))
    ]
    if command == "statement" and numbers["start"] > numbers["end"]:
        raise Refused("out_of_range")
    return Request(command, names, numbers, postings, (command, *words[1:]))


def _check(given: Sequence[tuple[Field, str]]) -> None:
    if not all(1 <= len(word) <= LONGEST_NAME for field, word in given if field.range is None):
        raise Refused("bad_name")
    numbers = [(field.range, word) for field, word in given if field.range is not None]
    if not all(NUMBER.fullmatch(word) for _, word in numbers):
        raise Refused("bad_number")
    if not all(len(word) <= LONGEST_NUMBER for _, word in numbers):
        raise Refused("out_of_range")
    if not all(smallest <= int(word) <= largest for (smallest, largest), word in numbers):
        raise Refused("out_of_range")
