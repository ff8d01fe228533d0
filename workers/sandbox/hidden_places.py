"""Folders of the farm that no sandbox may show, even where it shows a folder above them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path


def outermost(places: Iterable[Path]) -> tuple[Path, ...]:
    """The real folders behind `places`, without those that lie in another one of them."""
    real = sorted({place.resolve() for place in places})
    return tuple(
        place for place in real if not any(place != o and place.is_relative_to(o) for o in real)
    )


def masks(hidden: Sequence[Path], source: Path, target: str) -> list[str]:
    """Words for bubblewrap that cover whatever of `hidden` is seen when `source` is shown at
    `target`, each with an empty folder that can't be written. The hidden folders must exist."""
    if not hidden:
        return []
    shown = source.resolve()
    words: list[str] = []
    for place in hidden:
        if place.is_relative_to(shown):
            cover = str(Path(target) / place.relative_to(shown))
            words += ["--size", "4096", "--perms", "0555", "--tmpfs", cover, "--remount-ro", cover]
    return words
