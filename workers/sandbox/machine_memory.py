"""How much memory this machine, or the container around this process, has."""

from __future__ import annotations

import os
from pathlib import Path

from workers.sandbox.control_groups import GROUPS_AT, own_groups


def usable_memory_bytes() -> int:
    """The machine's memory, or the smallest limit of a control group around this process."""
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    groups = own_groups()
    limits: list[int] = []
    if "memory" in groups:
        limits += _limits(GROUPS_AT / "memory", groups["memory"], "memory.limit_in_bytes")
    if "" in groups:
        limits += _limits(GROUPS_AT, groups[""], "memory.max")
    return min([total, *limits])


def _limits(root: Path, path: str, file: str) -> list[int]:
    """The limits of a group and of all above it; `max` stands for none."""
    own = root / path.lstrip("/")
    folders = [own, *(above for above in own.parents if above.is_relative_to(root))]
    texts = [(folder / file).read_text().strip() for folder in folders if (folder / file).is_file()]
    return [int(text) for text in texts if text.isdigit()]
