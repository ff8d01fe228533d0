"""From counts to a board: pure, deterministic, and unable to compare what doesn't compare."""

from collections import Counter
from collections.abc import Iterable, Sequence

from models.schemas.board import (
    Board,
    BoardCell,
    BoardPolicy,
    BoardProvenance,
    BoardSystem,
    CellCount,
    LanguageSubtotal,
    UndeliveredReadings,
)
from models.schemas.model_replies import SystemReplies
from scheduler.boards.cell_table import SystemCells, arrange_cells
from scheduler.boards.ranking import Ranking, rank_systems
from scheduler.boards.readings import Reading, open_counts, scored_counts
from scheduler.statistics.fixed_task_band import fixed_task_band
from scheduler.statistics.random_task_band import random_task_band
from scheduler.statistics.task_count import TaskCount
from scheduler.statistics.void_envelope import void_envelope
from scheduler.statistics.wilson import cell_band

_DEFAULT_POLICY = BoardPolicy()


def build_board(
    cells: Sequence[CellCount],
    provenance: BoardProvenance,
    policy: BoardPolicy = _DEFAULT_POLICY,
) -> Board:
    """Build the board of `cells`, at most one per system and variant.

    Raises MixedUniverses when a variant was scored in two universes, NothingToShow without
    cells, DoubledCell and ContradictorySystem when the counts contradict each other.
    """
    table = arrange_cells(cells)
    ranking = rank_systems(table, policy)
    replies = {one.system_id: one for one in provenance.replies}
    unordered = [
        _board_system(system, ranking, policy, replies.get(system.system_id))
        for system in table.systems
    ]
    systems = sorted(unordered, key=_place)
    places = {system.name: place for place, system in enumerate(systems)}
    return Board(
        campaign_ids=provenance.campaign_ids,
        universes=table.universes,
        isolated=provenance.isolated,
        unproven=provenance.unproven,
        cancelled=provenance.cancelled,
        suite_tasks=provenance.suite_tasks,
        policy=policy,
        compared_cells=ranking.compared_cells,
        comparison_covers_lost_runs=ranking.covers_lost_runs,
        systems=tuple(systems),
        separations=tuple(
            sorted(ranking.separations, key=lambda pair: (places[pair.upper], places[pair.lower]))
        ),
    )


def _place(system: BoardSystem) -> tuple[bool, int, float, str]:
    """Ranked before unranked, then by tier, estimate and name."""
    estimate = system.headline.estimate
    score = -1.0 if estimate is None else estimate
    return system.tier is None, system.tier or 0, -score, system.name


def _board_system(
    system: SystemCells, ranking: Ranking, policy: BoardPolicy, replies: SystemReplies | None
) -> BoardSystem:
    standing = ranking.standings.get(system.system_id)
    reading, level = policy.undelivered, policy.level
    counts = scored_counts(system.cells, reading)
    planned = sum(cell.planned for cell in system.cells)
    return BoardSystem(
        name=system.name,
        system_id=system.system_id,
        scripted=system.scripted,
        headline=fixed_task_band(counts, level),
        similar_tasks=random_task_band(counts, level),
        comparison=standing.comparison if standing else None,
        tier=standing.rank.best if standing else None,
        rank=standing.rank if standing else None,
        letters=standing.letters if standing else (),
        unranked_reason=ranking.reasons.get(system.system_id),
        languages=_subtotals(system.cells, policy),
        cells=tuple(_board_cell(cell, reading, level) for cell in system.cells),
        void_by_category=_void_by_category(system.cells),
        undelivered=_undelivered(system.cells, level),
        envelope=void_envelope(open_counts(system.cells, reading), level),
        planned=planned,
        pending=planned - sum(cell.valid + cell.voids for cell in system.cells),
        replies=replies,
    )


def _board_cell(cell: CellCount, reading: Reading, level: float) -> BoardCell:
    count = scored_counts([cell], reading)[0]
    return BoardCell(
        task=cell.task,
        language=cell.language,
        passed=count.passed,
        n=count.valid,
        band=cell_band(count.passed, count.valid, cell.voids, level),
        undelivered=cell.undelivered,
        void_by_category=dict(sorted(cell.void_by_category.items())),
        planned=cell.planned,
    )


def _subtotals(cells: Iterable[CellCount], policy: BoardPolicy) -> tuple[LanguageSubtotal, ...]:
    by_language: dict[str, list[CellCount]] = {}
    for cell in cells:
        by_language.setdefault(cell.language, []).append(cell)
    return tuple(
        LanguageSubtotal(
            language=language,
            band=fixed_task_band(
                scored_counts(by_language[language], policy.undelivered), policy.level
            ),
        )
        for language in sorted(by_language)
    )


def _void_by_category(cells: Iterable[CellCount]) -> dict[str, int]:
    total = Counter[str]()
    for cell in cells:
        total.update(cell.void_by_category)
    return {category: count for category, count in sorted(total.items()) if count}


def _undelivered(cells: Sequence[CellCount], level: float) -> UndeliveredReadings:
    rates = [TaskCount(cell.undelivered, cell.valid, cell.voids, cell.task) for cell in cells]
    return UndeliveredReadings(
        count=sum(cell.undelivered for cell in cells),
        rate=fixed_task_band(rates, level),
        counted_as_failed=fixed_task_band(scored_counts(cells, "failed"), level),
        excluded=fixed_task_band(scored_counts(cells, "excluded"), level),
    )
