"""The two readings of undelivered runs, as counts for the statistics."""

from collections.abc import Iterable
from typing import Literal

from models.schemas.board import CellCount
from scheduler.statistics.task_count import TaskCount

Reading = Literal["failed", "excluded"]


def scored_counts(cells: Iterable[CellCount], reading: Reading) -> list[TaskCount]:
    """Counts for bands: an undelivered run is a failure, or not among the valid runs.

    Only voids are lost runs, since a band's void count speaks of infrastructure.
    """
    return [TaskCount(cell.passed, _scored(cell, reading), cell.voids, cell.task) for cell in cells]


def open_counts(cells: Iterable[CellCount], reading: Reading) -> list[TaskCount]:
    """Counts for the bounds that missing outcomes leave open.

    Whatever the reading takes out of the valid runs is missing, whoever is to blame: a system
    must not gain a rank by delivering nothing where it would have failed.
    """
    return [
        TaskCount(cell.passed, scored, cell.voids + cell.valid - scored, cell.task)
        for cell in cells
        for scored in [_scored(cell, reading)]
    ]


def loss_share(cells: Iterable[CellCount], reading: Reading) -> float:
    """Share of ended runs without an outcome under `reading`; 0 when none has ended."""
    counts = open_counts(cells, reading)
    lost = sum(count.lost for count in counts)
    ended = lost + sum(count.valid for count in counts)
    return lost / ended if ended else 0.0


def _scored(cell: CellCount, reading: Reading) -> int:
    return cell.valid if reading == "failed" else cell.valid - cell.undelivered
