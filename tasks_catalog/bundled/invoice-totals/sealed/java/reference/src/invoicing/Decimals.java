package invoicing;

import java.math.BigInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Decimal numbers as whole numbers: how they are read and written. */
final class Decimals {
    // [0-9], since \d may take the digits of every script
    private static final Pattern NUMBER = Pattern.compile("(-?)([0-9]{1,12})(?:\\.([0-9]{1,6}))?");

    private Decimals() {}

    /** The number digits / 10^places, with as many places as were written. */
    record Decimal(long digits, int places) {
        /** The number in units of 10^-places; the places are at least its own. */
        long scaled(int places) {
            return digits * powerOfTen(places - this.places);
        }
    }

    /** Returns the number that a word is, or null. */
    static Decimal parse(String word) {
        Matcher match = NUMBER.matcher(word);
        if (!match.matches()) {
            return null;
        }
        String fraction = match.group(3) == null ? "" : match.group(3);
        long digits = Long.parseLong(match.group(2) + fraction);
        return new Decimal(match.group(1).isEmpty() ? digits : -digits, fraction.length());
    }

    /** Writes units of 10^-places with exactly that many places. */
    static String format(BigInteger units, int places) {
        String digits = units.abs().toString();
        digits = "0".repeat(Math.max(0, places + 1 - digits.length())) + digits;
        String sign = units.signum() < 0 ? "-" : "";
        if (places == 0) {
            return sign + digits;
        }
        int point = digits.length() - places;
        return sign + digits.substring(0, point) + "." + digits.substring(point);
    }

    /** Writes units of 10^-places without needless zeros; there is at least 1 place. */
    static String formatShortest(long units, int places) {
        return format(BigInteger.valueOf(units), places).replaceFirst("\\.?0+$", "");
    }

    static long powerOfTen(int exponent) {
        long power = 1;
        for (int i = 0; i < exponent; i++) {
            power *= 10;
        }
        return power;
    }
}
