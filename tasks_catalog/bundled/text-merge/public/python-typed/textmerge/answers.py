"""From input lines to what is written."""

from collections.abc import Iterator, Sequence

from textmerge.merging import merged
from textmerge.reader import Block, Reader, Refusal


def answers(lines: Sequence[str]) -> Iterator[str]:
    """Yield an answer to each block: line feeds included."""
    for block in Reader(lines):
        if isinstance(block, Refusal):
            yield f"refused {block.kind}\n"
        else:
            yield from result(block)


def result(block: Block) -> Iterator[str]:
    lines, counts = merged(block)
    yield f"result {block.name} {len(lines)}\n"
    yield from lines
    yield f"counts {counts.text()}\n"
