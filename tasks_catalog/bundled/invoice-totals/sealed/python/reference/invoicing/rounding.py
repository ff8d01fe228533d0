"""The two ways to round."""

HALF_UP = "half-up"
HALF_EVEN = "half-even"


def divide(numerator, divisor, rounding):
    """Return numerator / divisor, its magnitude rounded; `divisor` is greater than zero."""
    quotient, rest = divmod(abs(numerator), divisor)
    tie = 2 * rest == divisor
    if 2 * rest > divisor or (tie and (rounding == HALF_UP or quotient % 2 == 1)):
        quotient += 1
    return -quotient if numerator < 0 else quotient
