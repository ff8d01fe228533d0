"""A board compares only what compares, and hides neither a void nor an undelivered run."""

import random

import pytest
from pydantic import ValidationError

from models.schemas.board import Board, BoardPolicy, BoardProvenance, BoardSystem
from scheduler.boards.board_builder import build_board
from scheduler.boards.board_errors import (
    ContradictorySystem,
    DoubledCell,
    MixedUniverses,
    NothingToShow,
)
from scheduler.statistics.fixed_task_band import fixed_task_band
from scheduler.statistics.task_count import TaskCount
from scheduler.statistics.wilson import cell_band
from tests.unit.scheduler.board_samples import LANGUAGES, PROVENANCE, TASKS, cell, uniform


def by_name(board: Board) -> dict[str, BoardSystem]:
    return {system.name: system for system in board.systems}


def test_runs_of_two_universes_never_share_a_board() -> None:
    cells = [
        cell("alpha", 3, 1, universe="sha256:old"),
        cell("beta", 2, 2, universe="sha256:new"),
        cell("beta", 2, 2, task="rate-limiter"),
    ]
    with pytest.raises(MixedUniverses) as raised:
        build_board(cells, PROVENANCE)
    told = str(raised.value)
    assert "circuit-breaker/go: sha256:new and sha256:old" in told
    assert "rate-limiter" not in told
    assert "Regrade" in told
    assert "pick one campaign" in told


def test_a_cell_counted_twice_is_refused() -> None:
    with pytest.raises(DoubledCell, match="alpha has two counts for circuit-breaker/go"):
        build_board([cell("alpha", 1, 1), cell("alpha", 1, 1)], PROVENANCE)


def test_a_system_id_with_two_descriptions_is_refused() -> None:
    cells = [cell("alpha", 1, 1), cell("alpha", 1, 1, language="python", scripted=True)]
    with pytest.raises(ContradictorySystem, match="id-of-alpha"):
        build_board(cells, PROVENANCE)


def test_a_board_of_nothing_is_refused() -> None:
    with pytest.raises(NothingToShow):
        build_board([], PROVENANCE)


def test_two_systems_with_one_name_are_told_apart_by_their_ids() -> None:
    cells = [cell("alpha", 4, 4), cell("alpha", 4, 4, system_id="0123456789abcdef")]
    names = [system.name for system in build_board(cells, PROVENANCE).systems]
    assert names == ["alpha#01234567", "alpha#id-of-al"]


def test_a_tier_changes_only_where_comparison_bands_do_not_overlap() -> None:
    cells = [*uniform("low", 2, 6), *uniform("high", 8, 0), *uniform("near", 7, 1)]
    board = build_board(cells, PROVENANCE)
    systems = by_name(board)
    assert [system.name for system in board.systems] == ["high", "near", "low"]
    assert [system.tier for system in board.systems] == [1, 1, 3]
    pairs = [(pair.upper, pair.lower) for pair in board.separations]
    assert pairs == [("high", "low"), ("near", "low")]
    for upper, lower in pairs:
        above, below = systems[upper].comparison, systems[lower].comparison
        assert above is not None
        assert below is not None
        assert above.low > below.high
    assert [system.letters for system in board.systems] == [("a",), ("a",), ("b",)]
    rank = systems["near"].rank
    assert rank is not None
    assert (rank.best, rank.worst) == (1, 2)


def test_comparison_bands_are_not_clipped() -> None:
    board = build_board([*uniform("high", 8, 0), *uniform("low", 0, 8)], PROVENANCE)
    high, low = (system.comparison for system in board.systems)
    assert high is not None
    assert low is not None
    assert high.high > 1.0
    assert low.low < 0.0


def test_equal_estimates_in_a_tier_stand_in_order_of_name() -> None:
    cells = [*uniform("zeta", 5, 3), *uniform("alpha", 5, 3), *uniform("mid", 6, 2)]
    board = build_board(cells, PROVENANCE)
    assert [system.name for system in board.systems] == ["mid", "alpha", "zeta"]
    assert board.separations == ()


def test_a_system_alone_is_tier_one_with_its_own_band() -> None:
    board = build_board(uniform("only", 5, 3), PROVENANCE)
    (system,) = board.systems
    assert (system.tier, system.letters, board.separations) == (1, ("a",), ())
    assert system.comparison is not None
    assert (system.comparison.low, system.comparison.high) == (
        system.headline.low,
        system.headline.high,
    )


def test_every_figure_is_the_published_band_of_its_counts() -> None:
    voids = {"gateway": 1, "worker_lost": 1}
    cells = [*uniform("alpha", 5, 3), cell("beta", 6, 1, void_by_category=voids)]
    alpha = by_name(build_board(cells, PROVENANCE))["alpha"]
    beta = by_name(build_board(cells, PROVENANCE))["beta"]
    assert alpha.headline == fixed_task_band([TaskCount(5, 8)] * 6)
    assert [total.language for total in alpha.languages] == list(LANGUAGES)
    assert alpha.languages[0].band == fixed_task_band([TaskCount(5, 8)] * 3)
    assert (alpha.similar_tasks.tasks, alpha.similar_tasks.estimand) == (3, "tasks_like_these")
    assert beta.cells[0].band == cell_band(6, 7, voids=2)
    assert (beta.voids, beta.void_by_category) == (2, voids)
    assert (alpha.envelope, beta.envelope is None) == (None, False)


def test_both_readings_of_undelivered_runs_are_on_the_board() -> None:
    cells = uniform("alpha", 4, 4, undelivered=3)
    for reading, passed_of in (("failed", 8), ("excluded", 5)):
        policy = BoardPolicy.model_validate({"undelivered": reading, "rankable_loss": 0.5})
        (system,) = build_board(cells, PROVENANCE, policy).systems
        told = system.undelivered
        assert told.count == 18
        assert told.rate.estimate == pytest.approx(3 / 8)
        assert told.counted_as_failed.estimate == pytest.approx(4 / 8)
        assert told.excluded.estimate == pytest.approx(4 / 5)
        assert system.headline == (told.counted_as_failed if reading == "failed" else told.excluded)
        assert system.cells[0].n == passed_of
        assert system.headline.voids == 0


def test_excluding_undelivered_runs_cannot_buy_a_rank() -> None:
    cells = [*uniform("shy", 4, 4, undelivered=4), *uniform("brave", 5, 3)]
    shy = by_name(build_board(cells, PROVENANCE, BoardPolicy(undelivered="excluded")))["shy"]
    assert shy.headline.estimate == 1.0
    assert shy.tier is None
    assert shy.unranked_reason == "50.0% of its runs have no outcome, more than 10%"
    assert shy.envelope is not None
    assert shy.envelope.worst_estimate == pytest.approx(0.5)


def test_a_system_that_lacks_cells_is_unranked_with_the_reason_and_comes_last() -> None:
    cells = [*uniform("whole", 3, 5), *uniform("partial", 8, 0, languages=("go",))]
    board = build_board(cells, PROVENANCE)
    partial = board.systems[-1]
    assert partial.name == "partial"
    assert (partial.tier, partial.rank, partial.comparison, partial.letters) == (None,) * 3 + ((),)
    assert partial.unranked_reason == ("has valid runs in 3 of 6 cells, fewer than 90% of them")
    assert board.compared_cells == 6


def test_a_system_without_a_valid_run_says_so() -> None:
    cells = [*uniform("done", 3, 5), *uniform("dead", 0, 0, void_by_category={"gateway": 8})]
    dead = by_name(build_board(cells, PROVENANCE))["dead"]
    assert dead.unranked_reason == "has no valid run"
    assert dead.headline.estimate is None
    assert dead.headline.voids == 48
    assert dead.envelope is not None
    assert (dead.envelope.low, dead.envelope.high) == (0.0, 1.0)


def test_systems_are_compared_over_common_cells_only() -> None:
    tasks = tuple(f"task-{i}" for i in range(10))
    cells = [
        *uniform("alpha", 6, 2, tasks=tasks, languages=("go",)),
        *uniform("beta", 6, 2, tasks=tasks[:9], languages=("go",)),
    ]
    board = build_board(cells, PROVENANCE)
    assert board.compared_cells == 9
    alpha = by_name(board)["alpha"]
    assert alpha.comparison is not None
    assert (alpha.comparison.cells, alpha.comparison.n, alpha.headline.n) == (9, 72, 80)


def test_systems_without_any_common_cell_are_not_ranked() -> None:
    policy = BoardPolicy(cell_share=0.4)
    cells = [cell("alpha", 8, 0), cell("beta", 0, 8, language="python")]
    board = build_board(cells, PROVENANCE, policy)
    assert {system.tier for system in board.systems} == {None}
    assert all("shares no cell" in (s.unranked_reason or "") for s in board.systems)


def test_more_than_a_tenth_lost_means_no_rank() -> None:
    lossy = uniform("lossy", 7, 1, void_by_category={"worker_lost": 1})
    system = by_name(build_board([*lossy, *uniform("whole", 4, 4)], PROVENANCE))["lossy"]
    assert system.unranked_reason == "11.1% of its runs have no outcome, more than 10%"
    assert system.headline.estimate == pytest.approx(7 / 8)


def test_losses_above_two_percent_make_separations_survive_the_lost_runs() -> None:
    tasks = tuple(f"task-{i}" for i in range(8))
    few, many = {"gateway": 1}, {"gateway": 4}
    upper = uniform("upper", 26, 14, tasks=tasks, void_by_category=many)
    lower = uniform("lower", 21, 19, tasks=tasks, void_by_category=many)
    clean = [
        *uniform("upper", 26, 14, tasks=tasks),
        *uniform("lower", 21, 19, tasks=tasks),
    ]
    assert len(build_board(clean, PROVENANCE).separations) == 1
    board = build_board([*upper, *lower], PROVENANCE)
    assert board.comparison_covers_lost_runs
    assert board.separations == ()
    assert [system.tier for system in board.systems] == [1, 1]
    harmless = uniform("upper", 36, 14, tasks=tasks, void_by_category=few)
    board = build_board([*harmless, *uniform("lower", 26, 24, tasks=tasks)], PROVENANCE)
    assert not board.comparison_covers_lost_runs
    assert len(board.separations) == 1


def test_large_differences_survive_the_lost_runs() -> None:
    cells = [
        *uniform("upper", 38, 1, void_by_category={"gateway": 2}),
        *uniform("lower", 3, 36, void_by_category={"gateway": 2}),
    ]
    board = build_board(cells, PROVENANCE)
    assert board.comparison_covers_lost_runs
    assert [(pair.upper, pair.lower) for pair in board.separations] == [("upper", "lower")]


def test_separations_say_whether_they_would_hold_on_similar_tasks_from_twelve_tasks_on() -> None:
    tasks = tuple(f"task-{i:02d}" for i in range(12))
    cells = [*uniform("upper", 9, 1, tasks=tasks), *uniform("lower", 3, 7, tasks=tasks)]
    (pair,) = build_board(cells, PROVENANCE).separations
    assert pair.on_similar_tasks is True
    (pair,) = build_board([c for c in cells if c.task != "task-11"], PROVENANCE).separations
    assert pair.on_similar_tasks is None
    swapped = [
        *uniform("upper", 10, 0, tasks=tasks[:8]),
        *uniform("upper", 0, 10, tasks=tasks[8:]),
        *uniform("lower", 0, 10, tasks=tasks[:6]),
        *uniform("lower", 6, 4, tasks=tasks[6:]),
    ]
    (pair,) = build_board(swapped, PROVENANCE).separations
    assert pair.on_similar_tasks is False


def test_marks_of_provenance_and_pending_runs_are_kept() -> None:
    cells = [
        cell("script", 3, 1, scripted=True, planned=10),
        cell("agent", 3, 1, void_by_category={"grader": 0}),
    ]
    provenance = BoardProvenance(campaign_ids=("a-1", "b-2"), isolated=False, unproven=True)
    board = build_board(cells, provenance)
    assert (board.campaign_ids, board.isolated, board.unproven) == (("a-1", "b-2"), False, True)
    script = by_name(board)["script"]
    assert (script.scripted, script.planned, script.pending) == (True, 10, 6)
    assert by_name(board)["agent"].void_by_category == {}


def test_the_order_of_the_counts_does_not_change_the_board() -> None:
    cells = [*uniform("a", 5, 3), *uniform("b", 7, 1), *uniform("c", 1, 7, undelivered=2)]
    expected = build_board(cells, PROVENANCE)
    for seed in range(5):
        shuffled = cells[:]
        random.Random(seed).shuffle(shuffled)
        assert build_board(shuffled, PROVENANCE) == expected


def test_a_board_survives_its_json() -> None:
    cells = [*uniform("a", 5, 3, void_by_category={"gateway": 1}), *uniform("b", 7, 1)]
    board = build_board(cells, PROVENANCE)
    assert Board.model_validate_json(board.model_dump_json()) == board
    assert board.schema_version == 1
    assert (board.tasks, board.languages) == (tuple(sorted(TASKS)), LANGUAGES)


def test_the_fingerprint_follows_the_universes_and_nothing_else() -> None:
    one = build_board(uniform("a", 5, 3), PROVENANCE).universe_fingerprint
    assert build_board(uniform("b", 1, 7), PROVENANCE).universe_fingerprint == one
    other = build_board(uniform("a", 5, 3, universe="sha256:two"), PROVENANCE)
    assert other.universe_fingerprint != one


def test_counts_that_do_not_add_up_are_refused() -> None:
    for changes in (
        {"undelivered": 2},
        {"planned": 3},
        {"void_by_category": {"gateway": 1}, "planned": 4},
        {"void_by_category": {"gateway": -1}},
    ):
        with pytest.raises(ValidationError):
            cell("alpha", 3, 1, **changes)


def test_a_rank_beside_a_reason_for_having_none_is_refused() -> None:
    (system,) = build_board(uniform("a", 5, 3), PROVENANCE).systems
    whole = system.model_dump()
    for change in ({"unranked_reason": "because"}, {"tier": None}):
        with pytest.raises(ValidationError, match="exclude each other"):
            BoardSystem.model_validate(whole | change)
