"""The two ways to round."""

from typing import Literal

Rounding = Literal["half-up", "half-even"]
HALF_UP: Rounding = "half-up"
HALF_EVEN: Rounding = "half-even"


def divide(numerator: int, divisor: int, rounding: Rounding) -> int:
    """Return numerator / divisor, its magnitude rounded; `divisor` is greater than zero."""
    quotient, rest = divmod(abs(numerator), divisor)
    tie = 2 * rest == divisor
    if 2 * rest > divisor or (tie and (rounding == HALF_UP or quotient % 2 == 1)):
        quotient += 1
    return -quotient if numerator < 0 else quotient
