"""Who may be ranked, over which cells, and where the comparison bands do not overlap."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from models.schemas.board import BoardPolicy, CellCount, ComparisonBand, RankInterval, Separation
from scheduler.boards.cell_table import CellTable, SystemCells
from scheduler.boards.readings import loss_share, open_counts, scored_counts
from scheduler.statistics.comparison_bands import (
    ENOUGH_TASKS_TO_GENERALISE,
    fixed_task_half_widths,
    random_task_half_widths,
)
from scheduler.statistics.fixed_task_band import fixed_task_band
from scheduler.statistics.fixed_task_variance import fixed_task_variance
from scheduler.statistics.random_task_band import task_scores
from scheduler.statistics.rank_ranges import (
    Interval,
    is_above,
    overlap_letters,
    rank_ranges,
    separated_pairs,
)
from scheduler.statistics.task_count import with_evidence
from scheduler.statistics.void_envelope import all_lost_failed, all_lost_passed


@dataclass(frozen=True, slots=True)
class Standing:
    """Where one ranked system stands."""

    comparison: ComparisonBand
    rank: RankInterval
    letters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ranking:
    """Standings of the ranked systems and reasons of the others, both by system id."""

    standings: Mapping[str, Standing]
    reasons: Mapping[str, str]
    separations: tuple[Separation, ...]
    compared_cells: int
    covers_lost_runs: bool


def rank_systems(table: CellTable, policy: BoardPolicy) -> Ranking:
    """Compare all rankable systems over the cells in which every one of them has valid runs."""
    total = len(table.universes)
    found = {s.system_id: _reason_against(s, total, policy) for s in table.systems}
    reasons = {system_id: reason for system_id, reason in found.items() if reason}
    ranked = [system for system in table.systems if system.system_id not in reasons]
    common = _common_cells(ranked, policy)
    if ranked and not common[0]:
        told = "shares no cell with valid runs with all other systems"
        reasons.update({system.system_id: told for system in ranked})
        return Ranking({}, reasons, (), 0, covers_lost_runs=False)
    covers = len(ranked) > 1 and any(
        loss_share(s.cells, policy.undelivered) > policy.harmless_loss for s in ranked
    )
    intervals = _intervals(common, policy, covers_lost_runs=covers)
    standings = _standings(common, intervals, policy, covers_lost_runs=covers)
    return Ranking(
        standings=dict(zip([s.system_id for s in ranked], standings, strict=True)),
        reasons=reasons,
        separations=_separations(ranked, common, intervals, policy),
        compared_cells=len(common[0]) if common else 0,
        covers_lost_runs=covers,
    )


def _reason_against(system: SystemCells, total: int, policy: BoardPolicy) -> str | None:
    counts = scored_counts(system.cells, policy.undelivered)
    covered = len(with_evidence(counts))
    if covered == 0:
        return "has no valid run"
    if covered / total < policy.cell_share:
        return (
            f"has valid runs in {covered} of {total} cells, "
            f"fewer than {policy.cell_share:.0%} of them"
        )
    loss = loss_share(system.cells, policy.undelivered)
    if loss > policy.rankable_loss:
        return f"{loss:.1%} of its runs have no outcome, more than {policy.rankable_loss:.0%}"
    return None


def _common_cells(ranked: Sequence[SystemCells], policy: BoardPolicy) -> list[list[CellCount]]:
    """The cells of each ranked system in the variants where all have valid runs."""
    sets = [
        {
            cell.variant
            for cell, count in zip(s.cells, scored_counts(s.cells, policy.undelivered), strict=True)
            if count.valid
        }
        for s in ranked
    ]
    shared = set[tuple[str, str]].intersection(*sets) if sets else set[tuple[str, str]]()
    return [[cell for cell in system.cells if cell.variant in shared] for system in ranked]


def _intervals(
    common: Sequence[Sequence[CellCount]], policy: BoardPolicy, *, covers_lost_runs: bool
) -> list[Interval]:
    """Comparison bands; a system alone has nothing to be compared with and keeps its band.

    With `covers_lost_runs` each end takes that system's lost runs at their worst or best, so
    that two bands that still do not overlap are separated whatever the lost runs were. This
    stays an interval order, unlike a correction of single pairs.
    """
    if len(common) < 2:
        bands = [
            fixed_task_band(scored_counts(c, policy.undelivered), policy.level) for c in common
        ]
        return [(band.low, band.high) for band in bands]
    plain = [scored_counts(cells, policy.undelivered) for cells in common]
    worlds = [plain]
    if covers_lost_runs:
        missing = [open_counts(cells, policy.undelivered) for cells in common]
        worlds += [list(map(all_lost_failed, missing)), list(map(all_lost_passed, missing))]
    known = [[fixed_task_variance(counts) for counts in world] for world in worlds]
    per_system = list(zip(*known, strict=True))
    usual = fixed_task_half_widths([v.variance for v in known[0]], policy.level)
    widest = fixed_task_half_widths(
        [max(v.variance for v in own) for own in per_system], policy.level
    )
    return [
        (min(v.mean for v in own) - max(reach), max(v.mean for v in own) + max(reach))
        for own, reach in zip(per_system, zip(usual, widest, strict=True), strict=True)
    ]


def _standings(
    common: Sequence[Sequence[CellCount]],
    intervals: Sequence[Interval],
    policy: BoardPolicy,
    *,
    covers_lost_runs: bool,
) -> list[Standing]:
    ranks = rank_ranges(intervals)
    letters = overlap_letters(intervals)
    standings: list[Standing] = []
    for cells, interval, rank, own in zip(common, intervals, ranks, letters, strict=True):
        counts = scored_counts(cells, policy.undelivered)
        comparison = ComparisonBand(
            low=interval[0],
            high=interval[1],
            cells=len(counts),
            n=sum(count.valid for count in counts),
            voids=sum(count.lost for count in counts),
            covers_lost_runs=covers_lost_runs,
        )
        rank_interval = RankInterval(best=rank.best, worst=rank.worst)
        standings.append(Standing(comparison, rank_interval, own))
    return standings


def _separations(
    ranked: Sequence[SystemCells],
    common: Sequence[Sequence[CellCount]],
    intervals: Sequence[Interval],
    policy: BoardPolicy,
) -> tuple[Separation, ...]:
    wide = _intervals_for_similar_tasks(common, policy)
    return tuple(
        Separation(
            upper=ranked[i].name,
            lower=ranked[j].name,
            on_similar_tasks=is_above(wide[i], wide[j]) if wide else None,
        )
        for i, j in separated_pairs(intervals)
    )


def _intervals_for_similar_tasks(
    common: Sequence[Sequence[CellCount]], policy: BoardPolicy
) -> list[Interval] | None:
    """Comparison bands for tasks drawn like these, None with too few systems or tasks."""
    scores = [task_scores(scored_counts(cells, policy.undelivered)) for cells in common]
    if len(scores) < 2 or len(scores[0]) < ENOUGH_TASKS_TO_GENERALISE:
        return None
    half_widths = random_task_half_widths(scores, policy.level)
    means = [sum(row) / len(row) for row in scores]
    return [(mean - h, mean + h) for mean, h in zip(means, half_widths, strict=True)]
