package invoicing;

import java.math.BigInteger;

/** The two ways to round. */
enum Rounding {
    HALF_UP("half-up"),
    HALF_EVEN("half-even");

    private final String word;

    Rounding(String word) {
        this.word = word;
    }

    /** Returns the rounding of that name, or null. */
    static Rounding named(String word) {
        for (Rounding rounding : values()) {
            if (rounding.word.equals(word)) {
                return rounding;
            }
        }
        return null;
    }

    /** Returns numerator / divisor, its magnitude rounded; the divisor is greater than zero. */
    BigInteger divide(BigInteger numerator, BigInteger divisor) {
        BigInteger[] parts = numerator.abs().divideAndRemainder(divisor);
        int half = parts[1].shiftLeft(1).compareTo(divisor);
        boolean tie = half == 0;
        boolean up = half > 0 || tie && (this == HALF_UP || parts[0].testBit(0));
        BigInteger magnitude = up ? parts[0].add(BigInteger.ONE) : parts[0];
        return numerator.signum() < 0 ? magnitude.negate() : magnitude;
    }
}
