"""Exchanging lines of a text: what is looked for must stand there exactly once. Pure."""

from dataclasses import dataclass

Hunk = tuple[str, str]
"""Lines that stand in a file, and what is to stand there instead; without the last line feed."""


@dataclass(frozen=True, slots=True)
class HunkMisfit:
    """Why lines could not be exchanged: for whoever wrote the hunk."""

    why: str


def exchange_lines(text: str, hunks: tuple[Hunk, ...]) -> str | HunkMisfit:
    """`text` with every hunk carried out in turn, whole lines only; nothing is changed where one
    doesn't fit. A last line without a line feed stays without."""
    for number, (old, new) in enumerate(hunks, 1):
        found = _count(text, old)
        if found != 1:
            which = f"hunk {number}: " if len(hunks) > 1 else ""
            return HunkMisfit(
                f"{which}the lines to be replaced stand in the file {found} times, but must stand "
                "there exactly once. Nothing was changed. Look at the file, and give them exactly "
                "as they stand there, with enough lines around them."
            )
        text = _exchange(text, old, new)
    return text


def _padded(text: str) -> str:
    return "\n" + text + ("" if text.endswith("\n") else "\n")


def _count(text: str, old: str) -> int:
    """How often the lines stand there, overlapping ones included."""
    held, wanted = _padded(text), f"\n{old}\n"
    count, at = 0, held.find(wanted)
    while at >= 0:
        count, at = count + 1, held.find(wanted, at + 1)
    return count


def _exchange(text: str, old: str, new: str) -> str:
    lines = f"\n{new}\n" if new else "\n"
    changed = _padded(text).replace(f"\n{old}\n", lines, 1)[1:]
    return changed if text.endswith("\n") or not text else changed.removesuffix("\n")
