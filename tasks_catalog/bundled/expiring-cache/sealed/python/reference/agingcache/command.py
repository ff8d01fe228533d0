"""Takes a line apart into a command."""

import re
from dataclasses import dataclass, field

from agingcache.refusal import Refused

WRITING = ("mode", "ttl", "stale", "tags", "value")
LAYOUTS = {
    "cache": ("bytes", "chars"),
    "set": ("at", "key", *WRITING),
    "absent": ("at", "key", "ttl"),
    "cas": ("at", "key", "version", *WRITING),
    "get": ("at", "key"),
    "touch": ("at", "key"),
    "delete": ("at", "key"),
    "invalidate": ("at", "tag"),
    "load": ("at", "key", "lease"),
    "loaded": ("at", "key", "ticket", *WRITING),
    "failed": ("at", "key", "ticket"),
    "resize": ("at", "bytes"),
    "stats": ("at",),
}

LARGEST = 1_000_000_000_000
RANGES = {
    "at": (0, LARGEST),
    "bytes": (0, LARGEST),
    "chars": (1, 1000),
    "ttl": (1, LARGEST),
    "stale": (0, LARGEST),
    "version": (0, LARGEST),
    "lease": (1, LARGEST),
    "ticket": (1, LARGEST),
}

NUMBER = re.compile(r"0|[1-9][0-9]{0,12}")
TAG = re.compile(r"[a-z0-9]{1,10}")


@dataclass
class Command:
    """The fields of one line; `numbers` holds those that are numbers, by name."""

    name: str
    numbers: dict = field(default_factory=dict)
    key: str = ""
    slides: bool = False
    tags: list = field(default_factory=list)
    value: str = ""

    @property
    def at(self):
        return self.numbers["at"]


def parse(line):
    """The command on a well-formed line; raises Refused for any other."""
    if line == "":
        raise Refused("empty_line")
    name = line.split(" ", 1)[0]
    if name not in LAYOUTS:
        raise Refused("unknown_command")
    layout = LAYOUTS[name]
    most_splits = len(layout) if layout[-1] == "value" else -1
    fields = line.split(" ", most_splits)[1:]
    if len(fields) != len(layout):
        raise Refused("wrong_fields")
    command = Command(name)
    for field_name, text in zip(layout, fields):
        _take(command, field_name, text)
    _refuse_duplicates(command.tags)
    return command


def _take(command, name, text):
    match name:
        case "key":
            if text == "":
                raise Refused("bad_key")
            command.key = text
        case "mode":
            if text not in ("abs", "slide"):
                raise Refused("bad_mode")
            command.slides = text == "slide"
        case "tags" if text == "-":
            command.tags = []
        case "tags":
            command.tags = [_tag(part) for part in text.split(",")]
        case "tag":
            command.tags = [_tag(text)]
        case "value":
            command.value = text
        case _:
            command.numbers[name] = _number(text, *RANGES[name])


def _number(text, least, most):
    if not NUMBER.fullmatch(text) or not least <= int(text) <= most:
        raise Refused("bad_number")
    return int(text)


def _tag(text):
    if not TAG.fullmatch(text):
        raise Refused("bad_tags")
    return text


def _refuse_duplicates(tags):
    for position, tag in enumerate(tags):
        if tag in tags[:position]:
            raise Refused("duplicate_tag", tag)
