package invoicing;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Decimal numbers as whole hundredths: how they are read and written. */
final class Decimals {
    private static final Pattern NUMBER = Pattern.compile("(-?)([0-9]{1,5})(?:\\.([0-9]*))?");

    private Decimals() {}

    /** Returns the hundredths of the number that a word is, or null. */
    static Long parseHundredths(String word) {
        Matcher match = NUMBER.matcher(word);
        if (!match.matches()) {
            return null;
        }
        String fraction = (match.group(3) == null ? "" : match.group(3)) + "00";
        long units = Long.parseLong(match.group(2) + fraction.substring(0, 2));
        return match.group(1).isEmpty() ? units : -units;
    }

    static String formatHundredths(long units) {
        String cents = Long.toString(Math.abs(units) % 100);
        return (units < 0 ? "-" : "") + Math.abs(units) / 100 + "." + (cents.length() < 2 ? "0" : "") + cents;
    }
}
