"""What must hold for every band, every figure of k runs, and every order of intervals."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from models.schemas.band import Band
from scheduler.statistics.clopper_pearson import clopper_pearson_interval
from scheduler.statistics.fixed_task_band import fixed_task_band
from scheduler.statistics.random_task_band import random_task_band
from scheduler.statistics.rank_ranges import (
    Interval,
    overlap_letters,
    rank_ranges,
    separated_pairs,
)
from scheduler.statistics.reliability import best_of_k, pass_all_k, pass_at_k, worst_of_k
from scheduler.statistics.task_count import TaskCount
from scheduler.statistics.void_envelope import void_envelope
from scheduler.statistics.wilson import cell_band, wilson_interval

LEVELS = st.sampled_from([0.8, 0.9, 0.95, 0.99])


@st.composite
def samples(draw: st.DrawFn, least: int = 1) -> tuple[int, int]:
    n = draw(st.integers(least, 200))
    return draw(st.integers(0, n)), n


@st.composite
def task_counts(draw: st.DrawFn) -> TaskCount:
    passed, n = draw(samples(least=0))
    return TaskCount(passed, n, draw(st.integers(0, 5)), draw(st.sampled_from("abcdefgh")))


BOARDS = st.lists(task_counts(), min_size=1, max_size=40)
INTERVALS = st.lists(
    st.tuples(st.integers(0, 30), st.integers(0, 10)).map(
        lambda p: (p[0] / 10, (p[0] + p[1]) / 10)
    ),
    min_size=1,
    max_size=14,
)


@given(samples(), LEVELS)
def test_a_cell_band_contains_its_estimate_and_stays_within_the_unit_interval(
    sample: tuple[int, int], level: float
) -> None:
    band = cell_band(*sample, voids=0, level=level)
    assert band.estimate is not None
    assert 0.0 <= band.low <= band.estimate <= band.high <= 1.0
    assert band.low < band.high


@given(samples(), LEVELS)
def test_bounds_of_a_cell_rise_with_every_pass(sample: tuple[int, int], level: float) -> None:
    passed, n = sample
    if passed < n:
        for interval in (
            lambda k: wilson_interval(k / n, n, level),
            lambda k: clopper_pearson_interval(k, n, level),
        ):
            fewer, more = interval(passed), interval(passed + 1)
            assert fewer[0] < more[0] or passed == 0
            assert fewer[1] < more[1] or more[1] == 1.0


@given(samples(), LEVELS)
def test_a_higher_level_and_the_exact_method_are_never_narrower(
    sample: tuple[int, int], level: float
) -> None:
    passed, n = sample
    low, high = wilson_interval(passed / n, n, level)
    wider = wilson_interval(passed / n, n, 0.995)
    assert wider[0] <= low <= high <= wider[1]
    exact = clopper_pearson_interval(passed, n, level)
    assert exact[0] <= passed / n <= exact[1]


@given(samples(), LEVELS)
def test_bands_are_symmetric_in_pass_and_fail(sample: tuple[int, int], level: float) -> None:
    passed, n = sample
    for interval in (wilson_interval(passed / n, n, level), clopper_pearson_interval(*sample)):
        assert 0.0 <= interval[0] <= interval[1] <= 1.0
    low, high = wilson_interval(passed / n, n, level)
    mirrored = wilson_interval((n - passed) / n, n, level)
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-12)


@given(BOARDS, LEVELS)
def test_mean_bands_contain_their_estimate_within_the_unit_interval(
    counts: list[TaskCount], level: float
) -> None:
    for band in (fixed_task_band(counts, level), random_task_band(counts, level)):
        assert band.n == sum(count.valid for count in counts)
        assert band.voids == sum(count.lost for count in counts)
        assert 0.0 <= band.low <= band.high <= 1.0
        if band.estimate is not None:
            assert band.low <= band.estimate <= band.high
            assert band.low < band.high


@given(BOARDS)
def test_the_order_of_tasks_does_not_matter(counts: list[TaskCount]) -> None:
    for build in (fixed_task_band, random_task_band):
        one, other = build(counts), build(counts[::-1])
        assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=1e-9)


@given(BOARDS, LEVELS)
def test_the_envelope_contains_the_band_and_every_way_the_lost_runs_could_have_gone(
    counts: list[TaskCount], level: float
) -> None:
    envelope = void_envelope(counts, level)
    assert (envelope is None) == (sum(count.lost for count in counts) == 0)
    if envelope is not None:
        band = fixed_task_band(counts, level)
        assert band.n == 0 or envelope.low <= band.low
        assert band.n == 0 or band.high <= envelope.high
        half = [TaskCount(c.passed + c.lost // 2, c.valid + c.lost) for c in counts]
        between = fixed_task_band(half, level).estimate
        assert between is not None
        assert envelope.worst_estimate - 1e-12 <= between <= envelope.best_estimate + 1e-12


@given(samples(), st.integers(1, 12))
def test_all_of_k_passing_is_rarer_than_one_run_and_one_of_k_more_frequent(
    sample: tuple[int, int], k: int
) -> None:
    passed, n = sample
    every, once, some = pass_all_k(n, passed, k), pass_at_k(n, passed, 1), pass_at_k(n, passed, k)
    if n < k:
        assert (every, some) == (None, None)
        return
    assert every is not None
    assert once is not None
    assert some is not None
    assert every <= once + 1e-12
    assert once <= some + 1e-12
    following = pass_all_k(n, passed, k + 1)
    assert following is None or following <= every


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=12), st.integers(1, 12))
def test_the_worst_of_k_lies_between_the_minimum_and_the_mean(scores: list[float], k: int) -> None:
    worst, best = worst_of_k(scores, k), best_of_k(scores, k)
    if worst is None or best is None:
        assert len(scores) < k
        return
    mean = sum(scores) / len(scores)
    assert min(scores) - 1e-9 <= worst <= mean + 1e-9
    assert mean - 1e-9 <= best <= max(scores) + 1e-9


@given(INTERVALS)
def test_separation_is_transitive_and_never_mutual(intervals: list[Interval]) -> None:
    pairs = set(separated_pairs(intervals))
    assert not any((j, i) in pairs for i, j in pairs)
    assert all((i, k) in pairs for (i, j), (j2, k) in product(pairs, pairs) if j == j2)


@given(INTERVALS)
def test_letters_are_shared_exactly_where_bands_overlap(intervals: list[Interval]) -> None:
    letters = overlap_letters(intervals)
    places = range(len(intervals))
    for i, j in product(places, places):
        overlap = intervals[i][0] <= intervals[j][1] and intervals[j][0] <= intervals[i][1]
        assert overlap == bool(set(letters[i]) & set(letters[j]))


@given(INTERVALS)
def test_rank_ranges_are_ordered_and_agree_with_the_separations(intervals: list[Interval]) -> None:
    ranks = rank_ranges(intervals)
    assert all(1 <= rank.best <= rank.worst <= len(intervals) for rank in ranks)
    assert min(rank.best for rank in ranks) == 1
    for upper, lower in separated_pairs(intervals):
        assert ranks[upper].best < ranks[lower].best
        assert ranks[upper].worst < ranks[lower].worst


@given(st.sets(st.sampled_from(["n", "voids", "level", "estimand", "tasks"]), min_size=1))
def test_a_band_without_its_sample_cannot_be_made(missing: set[str]) -> None:
    whole = cell_band(3, 4, voids=1).model_dump()
    with pytest.raises(ValidationError):
        Band.model_validate({key: value for key, value in whole.items() if key not in missing})


def test_a_band_that_contradicts_itself_cannot_be_made() -> None:
    whole = cell_band(3, 4, voids=1).model_dump()
    for change in ({"estimate": None}, {"n": 0}, {"low": 0.9}, {"voids": -1}, {"extra": 1}):
        with pytest.raises(ValidationError):
            Band.model_validate(whole | change)
