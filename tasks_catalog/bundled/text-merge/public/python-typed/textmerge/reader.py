"""From input lines to blocks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

SECTIONS = ("base", "mine", "theirs")


@dataclass(frozen=True)
class Block:
    """One merge; the texts are lists of lines with their line feeds."""

    name: str
    base: list[str]
    mine: list[str]
    theirs: list[str]


@dataclass(frozen=True)
class Refusal:
    kind: str


class BadInput(Exception):
    """Input that is no block."""


class Reader:
    """Iterates over the blocks of the input; a wrong one comes as a Refusal."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._next = 0

    def __iter__(self) -> Iterator[Block | Refusal]:
        while self._next < len(self._lines):
            yield self._block_or_refusal()

    def _block_or_refusal(self) -> Block | Refusal:
        try:
            return self._block()
        except BadInput:
            self._pass_over()
            return Refusal("bad_input")

    def _block(self) -> Block:
        match self._take().split(" "):
            case ["merge", name]:
                return Block(name, **self._sections())
        raise BadInput

    def _sections(self) -> dict[str, list[str]]:
        sections: dict[str, list[str]] = {}
        while (line := self._take()) != "end":
            match line.split(" "):
                case [("base" | "mine" | "theirs") as section, count]:
                    sections[section] = [self._take() + "\n" for _ in range(number(count))]
                case _:
                    raise BadInput
        if len(sections) < len(SECTIONS):
            raise BadInput
        return sections

    def _take(self) -> str:
        if self._next == len(self._lines):
            raise BadInput
        self._next += 1
        return self._lines[self._next - 1]

    def _pass_over(self) -> None:
        while self._lines[self._next - 1] != "end" and self._next < len(self._lines):
            self._next += 1


def number(word: str) -> int:
    if not 1 <= len(word) <= 4 or not set("0123456789").issuperset(word):
        raise BadInput
    return int(word)
