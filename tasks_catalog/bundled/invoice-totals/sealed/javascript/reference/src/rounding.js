// The two ways to round.

import { magnitude } from "./decimals.js";

export const HALF_UP = "half-up";
export const HALF_EVEN = "half-even";

// Returns numerator / divisor, its magnitude rounded; `divisor` is greater than zero.
export function divide(numerator, divisor, rounding) {
  let quotient = magnitude(numerator) / divisor;
  const twice = 2n * (magnitude(numerator) % divisor);
  const tie = twice === divisor;
  if (twice > divisor || (tie && (rounding === HALF_UP || quotient % 2n === 1n))) {
    quotient += 1n;
  }
  return numerator < 0n ? -quotient : quotient;
}
