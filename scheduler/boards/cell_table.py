"""Counts arranged per system and variant, refused where they can't share a board."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from models.schemas.board import CellCount, VariantUniverse
from scheduler.boards.board_errors import (
    ContradictorySystem,
    DoubledCell,
    MixedUniverses,
    NothingToShow,
    Variant,
)


@dataclass(frozen=True, slots=True)
class SystemCells:
    """One system's cells in order of task and language, under a name unique on the board."""

    name: str
    system_id: str
    scripted: bool
    cells: tuple[CellCount, ...]


@dataclass(frozen=True, slots=True)
class CellTable:
    """All systems in order of name, and the universe of every variant."""

    systems: tuple[SystemCells, ...]
    universes: tuple[VariantUniverse, ...]


def arrange_cells(cells: Sequence[CellCount]) -> CellTable:
    """Arrange `cells`, of which there is at most one per system and variant.

    Raises NothingToShow, MixedUniverses, DoubledCell or ContradictorySystem.
    """
    if not cells:
        raise NothingToShow
    universes = _one_universe_per_variant(cells)
    by_id: defaultdict[str, list[CellCount]] = defaultdict(list)
    for cell in sorted(cells, key=lambda cell: cell.variant):
        by_id[cell.system_id].append(cell)
    taken = [group[0].system for group in by_id.values()]
    systems = [_system(group, taken) for group in by_id.values()]
    return CellTable(tuple(sorted(systems, key=lambda system: system.name)), universes)


def _one_universe_per_variant(cells: Sequence[CellCount]) -> tuple[VariantUniverse, ...]:
    digests: defaultdict[Variant, set[str]] = defaultdict(set)
    for cell in cells:
        digests[cell.variant].add(cell.universe)
    mixed = {variant: sorted(found) for variant, found in digests.items() if len(found) > 1}
    if mixed:
        raise MixedUniverses(dict(sorted(mixed.items())))
    return tuple(
        VariantUniverse(task=task, language=language, digest=min(digests[task, language]))
        for task, language in sorted(digests)
    )


def _system(cells: Sequence[CellCount], taken: Sequence[str]) -> SystemCells:
    first = cells[0]
    described = {f"{c.system}, {'scripted' if c.scripted else 'not scripted'}" for c in cells}
    if len(described) > 1:
        raise ContradictorySystem(first.system_id, sorted(described))
    for before, after in pairwise(cells):
        if before.variant == after.variant:
            raise DoubledCell(first.system, after.variant)
    shared = taken.count(first.system) > 1
    name = f"{first.system}#{first.system_id[:8]}" if shared else first.system
    return SystemCells(name, first.system_id, first.scripted, tuple(cells))
