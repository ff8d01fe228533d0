/**
 * Days and minutes as plain numbers, in the Gregorian calendar.
 *
 * <p>A day is a number: 1 is 0001-01-01, a Monday. A minute is one too: the day times 1440, plus the
 * minutes since midnight.
 */
final class Dates {
    static final long MINUTES_PER_DAY = 1440;
    private static final int[] MONTH_LENGTHS = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

    /** A day in the calendar. */
    record Civil(long year, int month, long day) {}

    private Dates() {}

    private static boolean isLeap(long year) {
        return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    }

    static int monthLength(long year, int month) {
        return month == 2 && isLeap(year) ? 29 : MONTH_LENGTHS[month - 1];
    }

    private static long daysBeforeYear(long year) {
        long past = year - 1;
        return past * 365 + past / 4 - past / 100 + past / 400;
    }

    static long dayNumber(long year, int month, long day) {
        long number = daysBeforeYear(year) + day;
        for (int m = 1; m < month; m++) {
            number += monthLength(year, m);
        }
        return number;
    }

    static Civil civil(long day) {
        long year = (day - 1) / 365 + 1;
        while (daysBeforeYear(year) >= day) {
            year--;
        }
        long rest = day - daysBeforeYear(year);
        int month = 1;
        while (rest > monthLength(year, month)) {
            rest -= monthLength(year, month);
            month++;
        }
        return new Civil(year, month, rest);
    }

    /** Returns 0 for a Monday to 6 for a Sunday. */
    static int weekday(long day) {
        return (int) ((day - 1) % 7);
    }

    static String minuteText(long minute) {
        Civil date = civil(minute / MINUTES_PER_DAY);
        long clock = minute % MINUTES_PER_DAY;
        return padded(date.year(), 4) + "-" + padded(date.month(), 2) + "-" + padded(date.day(), 2)
                + "T" + padded(clock / 60, 2) + ":" + padded(clock % 60, 2);
    }

    static String instantText(long instant) {
        return minuteText(instant) + "Z";
    }

    private static String padded(long number, int width) {
        String digits = Long.toString(number);
        return "0".repeat(Math.max(0, width - digits.length())) + digits;
    }
}
