"""The published vectors hold to six digits, and the special functions agree with scipy."""

import json
import math
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from scheduler.statistics.clopper_pearson import (
    clopper_pearson_interval,
    exact_lower_bound,
    exact_upper_bound,
)
from scheduler.statistics.comparison_bands import fixed_task_half_widths, random_task_half_widths
from scheduler.statistics.fixed_task_band import fixed_task_band
from scheduler.statistics.flip_bound import flip_rate_bound, repeats_to_bound
from scheduler.statistics.incomplete_beta import beta_quantile, incomplete_beta
from scheduler.statistics.random_task_band import random_task_band
from scheduler.statistics.rank_ranges import overlap_letters, rank_ranges, separated_pairs
from scheduler.statistics.reliability import agreement, best_of_k, pass_all_k, pass_at_k, worst_of_k
from scheduler.statistics.reliability_bands import pass_all_k_band
from scheduler.statistics.score_bands import fixed_task_score_band, random_task_score_band
from scheduler.statistics.student_t import two_sided_t_quantile
from scheduler.statistics.studentized_range import studentized_range_quantile
from scheduler.statistics.task_count import TaskCount
from scheduler.statistics.void_envelope import void_envelope
from scheduler.statistics.wilson import cell_band, wilson_interval

ROOT = Path(__file__).resolve().parents[3]
VECTORS: dict[str, Any] = json.loads(
    (ROOT / "tests/golden/statistics_vectors.json").read_text(encoding="utf-8")
)
SIX_DIGITS = 5e-7


def near(value: Any) -> Any:
    return pytest.approx(value, abs=SIX_DIGITS)


def counts_of(vector: dict[str, Any]) -> list[TaskCount]:
    pairs = zip(vector["passed"], vector["n"], strict=True)
    return [TaskCount(k, n, task=f"task-{i}") for i, (k, n) in enumerate(pairs)]


@pytest.mark.parametrize("vector", VECTORS["wilson"])
def test_wilson_matches_its_vectors(vector: dict[str, Any]) -> None:
    band = cell_band(vector["passed"], vector["n"], voids=1)
    assert (band.low, band.high) == near((vector["low"], vector["high"]))
    assert (band.n, band.tasks, band.voids, band.estimand) == (vector["n"], 1, 1, "cell")


def test_an_empty_cell_is_no_evidence() -> None:
    band = cell_band(0, 0, voids=4)
    assert (band.estimate, band.low, band.high, band.method) == (None, 0.0, 1.0, "no evidence")
    assert (band.n, band.voids, band.has_evidence) == (0, 4, False)


def test_a_mean_without_a_valid_run_is_no_evidence() -> None:
    counts = [TaskCount(0, 0, lost=2, task="a"), TaskCount(0, 0, lost=1, task="b")]
    for band in (fixed_task_band(counts), random_task_band(counts)):
        assert (band.estimate, band.low, band.high, band.n, band.voids) == (None, 0, 1, 0, 3)


def test_clopper_pearson_matches_its_vectors() -> None:
    vector, upper = VECTORS["clopper_pearson"], VECTORS["exact_upper_95"]
    interval = clopper_pearson_interval(vector["events"], vector["n"])
    assert interval == near((vector["low"], vector["high"]))
    assert exact_upper_bound(upper["events"], upper["n"]) == near(upper["bound"])
    assert clopper_pearson_interval(0, 4)[0] == 0.0
    assert clopper_pearson_interval(4, 4)[1] == 1.0
    with pytest.raises(ValueError, match="5 events in 4 trials"):
        exact_upper_bound(5, 4)


def test_exact_bounds_leave_exactly_the_tail_by_enumeration() -> None:
    for trials in (3, 8, 20):
        for events in range(1, trials):
            upper = Fraction(exact_upper_bound(events, trials))
            lower = Fraction(exact_lower_bound(events, trials))
            below = sum(
                math.comb(trials, i) * upper**i * (1 - upper) ** (trials - i)
                for i in range(events + 1)
            )
            above = sum(
                math.comb(trials, i) * lower**i * (1 - lower) ** (trials - i)
                for i in range(events, trials + 1)
            )
            assert float(below) == pytest.approx(0.05, abs=1e-10)
            assert float(above) == pytest.approx(0.05, abs=1e-10)


def test_pass_of_k_matches_its_vectors() -> None:
    vector = VECTORS["pass_of_k"]
    assert pass_at_k(vector["n"], vector["passed"], 4) == near(vector["pass_at_4"])
    assert pass_all_k(vector["n"], vector["passed"], 2) == near(vector["pass_all_2"])


@pytest.mark.parametrize("vector", VECTORS["worst_of_k"])
def test_worst_of_k_matches_its_vectors(vector: dict[str, Any]) -> None:
    assert worst_of_k(vector["scores"], vector["k"]) == near(vector["value"])
    mirrored = [-score for score in vector["scores"]]
    assert best_of_k(mirrored, vector["k"]) == near(-vector["value"])


def test_figures_of_k_runs_are_never_extrapolated() -> None:
    assert pass_at_k(2, 2, 3) is None
    assert pass_all_k(0, 0, 1) is None
    assert worst_of_k([1.0], 2) is None
    assert best_of_k([], 1) is None
    assert agreement(1, 1) is None
    with pytest.raises(ValueError, match="at least 1"):
        pass_at_k(3, 1, 0)


def test_agreement_matches_its_vector() -> None:
    vector = VECTORS["agreement"]
    assert agreement(vector["n"], vector["passed"]) == near(vector["value"])


@pytest.mark.parametrize("vector", VECTORS["fixed_task_band"])
def test_the_band_for_these_tasks_matches_its_vectors(vector: dict[str, Any]) -> None:
    band = fixed_task_band(counts_of(vector))
    assert (band.estimate, band.low, band.high) == near(
        (vector["estimate"], vector["low"], vector["high"])
    )
    assert band.standard_error == near(vector["error"])
    assert band.n == sum(vector["n"])
    assert band.tasks == sum(n > 0 for n in vector["n"])


def test_one_run_per_task_falls_back_to_pooled_wilson() -> None:
    counts = [TaskCount(int(i < 7), 1) for i in range(10)]
    band = fixed_task_band(counts)
    assert (band.low, band.high) == near(wilson_interval(0.7, 10, 0.95))
    assert band.standard_error is None


def test_a_single_run_beside_repeated_ones_widens_the_band() -> None:
    repeated = fixed_task_band([TaskCount(4, 8), TaskCount(8, 8)])
    mixed = fixed_task_band([TaskCount(4, 8), TaskCount(1, 1)])
    assert mixed.half_width > repeated.half_width


@pytest.mark.parametrize("vector", VECTORS["random_task_band"])
def test_the_band_for_tasks_like_these_matches_its_vectors(vector: dict[str, Any]) -> None:
    band = random_task_band(counts_of(vector), enough_tasks=vector["enough_tasks"])
    assert (band.estimate, band.low, band.high) == near(
        (vector["estimate"], vector["low"], vector["high"])
    )
    assert band.standard_error == near(vector["error"])


def test_ports_of_one_task_are_one_draw_of_tasks_like_these() -> None:
    once = random_task_band([TaskCount(6, 8, task=f"t{i}") for i in range(5)])
    ported = random_task_band([TaskCount(6, 8, task=f"t{i % 5}") for i in range(15)])
    assert (ported.low, ported.high, ported.tasks) == (once.low, once.high, 5)


def test_equal_scores_on_many_tasks_still_leave_a_band() -> None:
    band = random_task_band([TaskCount(8, 8, task=str(i)) for i in range(40)])
    assert (band.estimate, band.high, band.standard_error) == (1.0, 1.0, 0.0)
    assert 0.8 < band.low < 1.0


@pytest.mark.parametrize("vector", VECTORS["studentized_range_95"])
def test_the_studentized_range_matches_its_vectors(vector: dict[str, Any]) -> None:
    freedom = math.inf if vector["freedom"] is None else vector["freedom"]
    value = studentized_range_quantile(0.95, vector["groups"], freedom)
    assert value == near(vector["value"])


@pytest.mark.parametrize("freedom", [1, 2, 5, 11, 99, 1000])
def test_the_range_of_two_is_student_t_times_root_two(freedom: int) -> None:
    value = studentized_range_quantile(0.95, 2, freedom)
    assert value == near(two_sided_t_quantile(0.95, freedom) * math.sqrt(2))


def test_the_studentized_range_agrees_with_scipy() -> None:
    from scipy.stats import studentized_range  # only this oracle needs its start-up

    for groups, freedom in [(3, 7), (10, 29), (6, math.inf), (25, math.inf)]:
        expected = studentized_range.ppf(0.95, groups, freedom)
        assert studentized_range_quantile(0.95, groups, freedom) == near(expected)
    with pytest.raises(ValueError, match="two groups"):
        studentized_range_quantile(0.95, 1)


def test_beta_and_student_quantiles_agree_with_scipy() -> None:
    from scipy import special  # only this oracle needs its start-up

    for a in (0.5, 1.0, 3.5, 40.0, 900.0):
        for b in (0.5, 2.0, 17.0, 1200.0):
            for p in (1e-6, 0.025, 0.5, 0.95, 0.999):
                x = beta_quantile(a, b, p)
                assert x == pytest.approx(special.betaincinv(a, b, p), rel=1e-9)
                assert incomplete_beta(a, b, x) == pytest.approx(p, abs=1e-8)
    for freedom in (1.0, 1.7, 9.05, 300.0, 1e6):
        expected = special.stdtrit(freedom, 0.975)
        assert two_sided_t_quantile(0.95, freedom) == pytest.approx(expected, rel=1e-9)
    assert two_sided_t_quantile(0.95, 1e12) == pytest.approx(1.959963984540054)
    assert (beta_quantile(2, 3, 0.0), beta_quantile(2, 3, 1.0)) == (0.0, 1.0)
    assert (incomplete_beta(2, 3, 0.0), incomplete_beta(2, 3, 1.0)) == (0.0, 1.0)


def test_comparison_half_widths_match_their_vectors() -> None:
    fixed, random = VECTORS["fixed_task_half_widths"], VECTORS["random_task_half_widths"]
    variances = [error**2 for error in fixed["errors"]]
    assert fixed_task_half_widths(variances) == near(fixed["half_widths"])
    half_widths = random_task_half_widths(random["scores"])
    assert half_widths == near(random["half_widths"])
    assert random["means"][0] - random["means"][1] > sum(half_widths)


def test_ranks_tiers_and_letters_match_their_vector() -> None:
    vector = VECTORS["ranks"]
    intervals = list(zip(vector["low"], vector["high"], strict=True))
    ranks = rank_ranges(intervals)
    assert [rank.best for rank in ranks] == vector["best"]
    assert [rank.worst for rank in ranks] == vector["worst"]
    assert ["".join(letters) for letters in overlap_letters(intervals)] == vector["letters"]


def test_touching_bands_are_not_separated() -> None:
    assert separated_pairs([(0.5, 0.7), (0.3, 0.5)]) == []
    assert separated_pairs([(0.51, 0.7), (0.3, 0.5)]) == [(0, 1)]


def test_letters_go_on_after_z() -> None:
    apart = [(1.0 - i / 100, 1.0 - i / 100) for i in range(54)]
    letters = overlap_letters(apart)
    assert [letters[0], letters[25], letters[26], letters[53]] == [("a",), ("z",), ("aa",), ("bb",)]


def test_repeats_that_prove_a_steady_verdict_match_their_vector() -> None:
    proved = [repeats_to_bound(0.01, flips) for flips in range(4)]
    assert proved == VECTORS["repeats_below_one_percent"]
    assert flip_rate_bound(0, 299) < 0.01 <= flip_rate_bound(0, 298)
    assert repeats_to_bound(0.01, confidence=1 - 0.05 / 10) == 528
    assert repeats_to_bound(0.9) == 2
    with pytest.raises(ValueError, match="between 0 and 1"):
        repeats_to_bound(0.0)


def test_the_void_envelope_matches_its_vector() -> None:
    vector = VECTORS["void_envelope"]
    envelope = void_envelope([TaskCount(vector["passed"], vector["n"], vector["lost"])])
    assert envelope is not None
    found = (envelope.worst_estimate, envelope.best_estimate, envelope.low, envelope.high)
    assert found == near(tuple(vector[key] for key in ("worst", "best", "low", "high")))
    assert (envelope.lost, envelope.launched) == (5, 50)


def test_nothing_lost_leaves_no_envelope_and_everything_lost_leaves_all_open() -> None:
    assert void_envelope([TaskCount(3, 8)]) is None
    envelope = void_envelope([TaskCount(0, 0, lost=8)])
    assert envelope is not None
    assert (envelope.low, envelope.high) == (0.0, 1.0)


def test_score_bands_match_their_vectors() -> None:
    vector = VECTORS["score_bands"]
    for name, build in (("fixed", fixed_task_score_band), ("random", random_task_score_band)):
        band = build(vector["scores"], tuple(vector["range"]), voids=0)
        expected = vector[name]
        found = (band.estimate, band.low, band.high, band.standard_error)
        assert found == near(tuple(expected[key] for key in ("estimate", "low", "high", "error")))
        assert (band.n, band.tasks) == (15, 3)


def test_the_jackknife_of_pass_1_is_the_within_task_variance() -> None:
    counts = [TaskCount(5, 8), TaskCount(8, 8), TaskCount(1, 8)]
    band = pass_all_k_band(counts, 1)
    fixed = fixed_task_band(counts)
    assert band is not None
    assert band.estimate == near(fixed.estimate)
    assert band.standard_error == near(fixed.standard_error)


def test_the_jackknife_of_pass_k_equals_leaving_out_each_run() -> None:
    outcomes = [1, 1, 1, 0, 1, 0, 1]
    left_out = [
        math.comb(sum(rest), 2) / math.comb(len(rest), 2)
        for i in range(len(outcomes))
        for rest in [outcomes[:i] + outcomes[i + 1 :]]
    ]
    mean = sum(left_out) / len(left_out)
    spread = sum((value - mean) ** 2 for value in left_out) * 6 / 7
    band = pass_all_k_band([TaskCount(5, 7)], 2)
    assert band is not None
    assert band.standard_error == near(math.sqrt(spread + 0.25 / 7))


def test_pass_all_k_has_no_band_where_too_few_tasks_have_more_runs_than_k() -> None:
    assert pass_all_k_band([TaskCount(4, 4)] * 10, 4) is None
    assert pass_all_k_band([TaskCount(4, 5)] * 9 + [TaskCount(2, 2)], 4) is not None
    assert pass_all_k_band([TaskCount(4, 5)] * 8 + [TaskCount(2, 2)] * 2, 4) is None


def test_counts_that_cannot_be_are_refused() -> None:
    for passed, valid, lost in ((3, 2, 0), (-1, 2, 0), (0, 0, -1)):
        with pytest.raises(ValueError, match="not a count"):
            TaskCount(passed, valid, lost)


def test_boards_load_neither_numpy_nor_scipy() -> None:
    program = (
        "import sys, scheduler.boards.board_builder, scheduler.boards.board_text;"
        "sys.exit(int('numpy' in sys.modules or 'scipy' in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False, timeout=60)
    assert done.returncode == 0
