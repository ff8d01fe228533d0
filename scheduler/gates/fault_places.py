"""Where a planted fault is in its reference. Pure."""

from dataclasses import dataclass

from tasks_catalog.patching import Hunk, parse_patch


@dataclass(frozen=True, slots=True)
class FaultPlace:
    """The first change of a patch: lines from `first` up to `end`, which stays, counted from 1.

    `replacement` is what stands there instead; empty where lines are only taken away.
    """

    file: str
    first: int
    end: int
    replacement: str


def fault_place(patch: bytes) -> FaultPlace:
    """The place of the first hunk of a patch, without its context. Raises PatchRefused."""
    change = parse_patch(patch)[0]
    hunk = change.hunks[0]
    head = _common(hunk)
    tail = _common(hunk, backwards=True, but=head)
    changed = hunk.after[head : len(hunk.after) - tail]
    return FaultPlace(
        file=change.path,
        first=hunk.start + head + 1,
        end=hunk.start + len(hunk.before) - tail + 1,
        replacement=b"".join(changed).decode("utf-8", "replace"),
    )


def _common(hunk: Hunk, *, backwards: bool = False, but: int = 0) -> int:
    """How many lines both sides begin (or end) with, leaving the first `but` lines alone."""
    before, after = hunk.before[but:], hunk.after[but:]
    if backwards:
        before, after = before[::-1], after[::-1]
    same = 0
    for old, new in zip(before, after, strict=False):
        if old != new:
            break
        same += 1
    return same
