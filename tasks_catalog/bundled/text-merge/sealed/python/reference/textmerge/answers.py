"""From input lines to what is written."""

from textmerge.lines import ending
from textmerge.merging import merged
from textmerge.reader import Reader, Refusal


def answers(lines):
    """Yield an answer to each block: line feeds included."""
    for block in Reader(lines):
        if isinstance(block, Refusal):
            yield f"refused {block.line} {block.kind}\n"
        else:
            yield from result(block)


def result(block):
    lines, counts = merged(block)
    unfinished = bool(lines) and not ending(lines[-1])
    yield f"result {block.name} {len(lines)}{' unfinished' if unfinished else ''}\n"
    yield from lines
    if unfinished:
        yield "\n"
    yield f"counts {counts.text()}\n"
