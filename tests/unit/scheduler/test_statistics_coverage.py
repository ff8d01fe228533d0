"""The bands cover what they say they cover, measured on seeded simulations."""

import random

from scheduler.statistics.comparison_bands import fixed_task_half_widths
from scheduler.statistics.fixed_task_band import fixed_task_band
from scheduler.statistics.fixed_task_variance import fixed_task_variance
from scheduler.statistics.random_task_band import random_task_band
from scheduler.statistics.task_count import TaskCount


def simulated(rng: random.Random, chances: list[float], runs: int) -> list[TaskCount]:
    return [
        TaskCount(sum(rng.random() < p for _ in range(runs)), runs, task=str(i))
        for i, p in enumerate(chances)
    ]


def test_the_band_for_these_tasks_covers_their_mean_and_not_much_more() -> None:
    rng = random.Random(20)
    covered = 0
    for _ in range(800):
        chances = [rng.betavariate(0.5, 0.5) for _ in range(12)]
        band = fixed_task_band(simulated(rng, chances, 8))
        covered += band.low <= sum(chances) / 12 <= band.high
    assert 0.94 <= covered / 800 <= 0.99


def test_the_band_for_tasks_like_these_covers_the_population_with_rare_hard_tasks() -> None:
    rng = random.Random(21)
    covered = 0
    for _ in range(800):
        chances = [0.05 if rng.random() < 0.1 else 0.95 for _ in range(12)]
        band = random_task_band(simulated(rng, chances, 8))
        covered += band.low <= 0.1 * 0.05 + 0.9 * 0.95 <= band.high
    assert covered / 800 >= 0.93


def test_ten_equal_systems_are_falsely_separated_on_at_most_one_board_in_sixteen() -> None:
    rng = random.Random(22)
    false_boards = 0
    for _ in range(300):
        chances = [rng.betavariate(0.5, 0.5) for _ in range(12)]
        known = [fixed_task_variance(simulated(rng, chances, 6)) for _ in range(10)]
        half_widths = fixed_task_half_widths([k.variance for k in known])
        lows = [k.mean - h for k, h in zip(known, half_widths, strict=True)]
        highs = [k.mean + h for k, h in zip(known, half_widths, strict=True)]
        false_boards += max(lows) > min(highs)
    assert false_boards / 300 <= 1 / 16
