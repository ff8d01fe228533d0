"""Figures about repeated runs of one cell: all of k pass, one of k passes, the worst of k.

All are unbiased averages over draws of k of the n runs without replacement. With fewer than k
runs there is no figure: None, never an extrapolation.
"""

from collections.abc import Sequence
from math import comb


def pass_at_k(valid: int, passed: int, k: int) -> float | None:
    """Chance that at least one of `k` runs passes: 1 - C(n-c, k) / C(n, k)."""
    if not _is_estimable(valid, k):
        return None
    return 1.0 - comb(valid - passed, k) / comb(valid, k)


def pass_all_k(valid: int, passed: int, k: int) -> float | None:
    """Chance that all of `k` runs pass (pass^k): C(c, k) / C(n, k)."""
    if not _is_estimable(valid, k):
        return None
    return comb(passed, k) / comb(valid, k)


def worst_of_k(scores: Sequence[float], k: int) -> float | None:
    """Expected lowest score of `k` of the given run scores."""
    count = len(scores)
    if not _is_estimable(count, k):
        return None
    ordered = enumerate(sorted(scores), start=1)
    return sum(x * comb(count - i, k - 1) for i, x in ordered) / comb(count, k)


def best_of_k(scores: Sequence[float], k: int) -> float | None:
    """Expected highest score of `k` of the given run scores."""
    worst = worst_of_k([-score for score in scores], k)
    return None if worst is None else -worst


def agreement(valid: int, passed: int) -> float | None:
    """Chance that two runs of the cell have the same verdict; None below two runs."""
    if valid < 2:
        return None
    return 1.0 - 2.0 * passed * (valid - passed) / (valid * (valid - 1))


def _is_estimable(runs: int, k: int) -> bool:
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}")
    return runs >= k
