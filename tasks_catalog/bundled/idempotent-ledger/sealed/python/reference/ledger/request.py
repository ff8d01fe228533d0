"""From a line to a command whose fields are all in their form and range."""

import re
from dataclasses import dataclass

from ledger.outcome import Refused

LONGEST_NAME = 20
LONGEST_NUMBER = 15
# [0-9], since \d takes the digits of every script
NUMBER = re.compile(r"0|[1-9][0-9]*")
LATEST = 999_999_999_999
LARGEST = 999_999_999_999_999

NAME = None
INSTANT = (0, LATEST)
OVERDRAFT = (0, LARGEST)
AMOUNT = (1, LARGEST)

POSTING = (("payer", NAME), ("payee", NAME), ("amount", AMOUNT))
KEYED = (("at", INSTANT), ("client", NAME), ("key", NAME))
COMMANDS = {
    "account": (("account", NAME), ("currency", NAME), ("overdraft", OVERDRAFT)),
    "post": KEYED,
    "hold": (*KEYED, ("account", NAME), ("amount", AMOUNT), ("until", INSTANT)),
    "capture": (*KEYED, ("hold", NAME), ("payee", NAME), ("amount", AMOUNT)),
    "release": (*KEYED, ("hold", NAME)),
    "reverse": (*KEYED, ("transaction", NAME)),
    "balance": (("at", INSTANT), ("account", NAME)),
    "statement": (("start", INSTANT), ("end", INSTANT), ("account", NAME)),
}
"""The fields of each command, with the range of those that are numbers."""


@dataclass(frozen=True)
class Request:
    """A command, its fields by name, and of a `post` the postings (payer, payee, amount)."""

    command: str
    fields: dict
    postings: list
    content: tuple

    @property
    def is_keyed(self):
        return "key" in self.fields


def parse(line):
    """Return the request that a line is, or raise Refused."""
    command, *words = line.split(" ")
    if command not in COMMANDS:
        raise Refused("unknown_command")
    fields = COMMANDS[command]
    count = (len(words) - len(fields)) // len(POSTING) if command == "post" else 0
    kinds = [kind for _, kind in (*fields, *POSTING * count)]
    if len(words) != len(kinds) or (command == "post" and count < 1):
        raise Refused("wrong_fields")
    values = _values(words, kinds)
    named = {name: value for (name, _), value in zip(fields, values)}
    rest = values[len(fields) :]
    postings = [tuple(rest[i : i + len(POSTING)]) for i in range(0, len(rest), len(POSTING))]
    if command == "statement" and named["start"] > named["end"]:
        raise Refused("out_of_range")
    return Request(command, named, postings, (command, *words[1:]))


def _values(words, kinds):
    pairs = list(zip(words, kinds))
    if not all(1 <= len(word) <= LONGEST_NAME for word, kind in pairs if kind is NAME):
        raise Refused("bad_name")
    if not all(NUMBER.fullmatch(word) for word, kind in pairs if kind is not NAME):
        raise Refused("bad_number")
    if not all(len(word) <= LONGEST_NUMBER for word, kind in pairs if kind is not NAME):
        raise Refused("out_of_range")
    values = [word if kind is NAME else int(word) for word, kind in pairs]
    if not all(kind is NAME or kind[0] <= value <= kind[1] for value, kind in zip(values, kinds)):
        raise Refused("out_of_range")
    return values
