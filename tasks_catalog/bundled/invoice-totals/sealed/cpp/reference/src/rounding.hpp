// The two ways to round.
#pragma once

#include "decimals.hpp"

enum class Rounding { half_up, half_even };

// numerator / divisor, its magnitude rounded; the divisor is greater than zero.
inline Units divide(Units numerator, Units divisor, Rounding rounding) {
    Units quotient = magnitude(numerator) / divisor;
    Units twice = 2 * (magnitude(numerator) % divisor);
    bool tie = twice == divisor;
    if (twice > divisor || (tie && (rounding == Rounding::half_up || quotient % 2 == 1))) {
        ++quotient;
    }
    return numerator < 0 ? -quotient : quotient;
}
