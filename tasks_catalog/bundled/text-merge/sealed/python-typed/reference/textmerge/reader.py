"""From input lines to blocks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from textmerge.options import Options, read_number, read_options
from textmerge.refusal import Kind, Refused

SECTIONS = ("base", "mine", "theirs")
NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-._")
LONGEST_NAME = 30
LONGEST_TEXT = 2000


@dataclass(frozen=True)
class Block:
    """One merge; the texts are lists of lines with their endings."""

    name: str
    options: Options
    base: list[str]
    mine: list[str]
    theirs: list[str]


@dataclass(frozen=True)
class Refusal:
    """The number of the wrong line and what is wrong."""

    line: int
    kind: Kind


class Reader:
    """Iterates over the blocks of the input; a wrong one comes as a Refusal."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._next = 0
        self._names: set[str] = set()

    def __iter__(self) -> Iterator[Block | Refusal]:
        while self._next < len(self._lines):
            yield self._block_or_refusal()

    def _block_or_refusal(self) -> Block | Refusal:
        try:
            return self._block()
        except Refused as refused:
            refusal = Refusal(self._next, refused.kind)
            if refused.kind != "unknown_command":
                self._pass_over()
            return refusal

    def _block(self) -> Block:
        name, options = self._header()
        sections = self._sections()
        self._names.add(name)
        return Block(name, options, **sections)

    def _header(self) -> tuple[str, Options]:
        command, *words = self._take().split(" ")
        if command != "merge":
            raise Refused("unknown_command")
        if not words or not is_name(words[0]):
            raise Refused("bad_name")
        options = read_options(words[1:])
        if words[0] in self._names:
            raise Refused("duplicate_name")
        return words[0], options

    def _sections(self) -> dict[str, list[str]]:
        sections: dict[str, list[str]] = {}
        while (line := self._take()) != "end":
            section, *words = line.split(" ")
            if section not in SECTIONS:
                raise Refused("unexpected_line")
            count, unfinished = read_extent(words)
            if section in sections:
                raise Refused("repeated_section")
            sections[section] = self._text(count, unfinished)
        if len(sections) < len(SECTIONS):
            raise Refused("missing_section")
        return sections

    def _text(self, count: int, unfinished: bool) -> list[str]:
        text = [self._take() + "\n" for _ in range(count)]
        if unfinished:
            text[-1] = text[-1].removesuffix("\n")
        return text

    def _take(self) -> str:
        if self._next == len(self._lines):
            raise Refused("end_of_input")
        self._next += 1
        return self._lines[self._next - 1]

    def _pass_over(self) -> None:
        """Go on behind the next `end`, which may be the line that was taken last."""
        while self._lines[self._next - 1] != "end" and self._next < len(self._lines):
            self._next += 1


def is_name(word: str) -> bool:
    return 1 <= len(word) <= LONGEST_NAME and NAME_CHARACTERS.issuperset(word)


def read_extent(words: Sequence[str]) -> tuple[int, bool]:
    """Return the number of lines and whether the last one is unfinished."""
    count = read_number(words[0], LONGEST_TEXT) if words else None
    unfinished = list(words[1:]) == ["unfinished"]
    if count is None or (len(words) > 1 and not unfinished) or (unfinished and count == 0):
        raise Refused("bad_section")
    return count, unfinished
