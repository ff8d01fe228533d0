import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** On which days a meeting repeats. */
interface Rule {
    long LAST_DAY = Dates.dayNumber(2199, 12, 31);
    int LAST_OF_MONTH = 0;

    /** Tells whether a series that starts on the day {@code first} has an occurrence on {@code day}. */
    boolean holds(long day, long first);

    /** After so many occurrences or after a day, whichever is first. */
    record End(long count, long lastDay) {}

    static Rule daily(long interval) {
        return (day, first) -> (day - first) % interval == 0;
    }

    static Rule weekly(long interval, Set<Integer> weekdays) {
        return (day, first) -> {
            long monday = first - Dates.weekday(first);
            long weeks = (day - monday) / 7;
            return weeks % interval == 0 && weekdays.contains(Dates.weekday(day));
        };
    }

    static Rule monthlyDay(long interval, long dayOfMonth) {
        return (day, first) ->
                monthsBetween(first, day) % interval == 0 && Dates.civil(day).day() == dayOfMonth;
    }

    /** The ordinal is 1 to 5, or LAST_OF_MONTH. */
    static Rule monthlyWeekday(long interval, long ordinal, int weekday) {
        return (day, first) -> {
            if (monthsBetween(first, day) % interval != 0 || Dates.weekday(day) != weekday) {
                return false;
            }
            Dates.Civil date = Dates.civil(day);
            if (ordinal == LAST_OF_MONTH) {
                return date.day() + 7 > Dates.monthLength(date.year(), date.month());
            }
            return (date.day() - 1) / 7 + 1 == ordinal;
        };
    }

    private static long monthsBetween(long first, long day) {
        Dates.Civil from = Dates.civil(first);
        Dates.Civil to = Dates.civil(day);
        return (to.year() - from.year()) * 12 + to.month() - from.month();
    }

    /** Returns the local minutes that the rule yields, in order. */
    default List<Long> originals(long start, End end) {
        long first = start / Dates.MINUTES_PER_DAY;
        long clock = start % Dates.MINUTES_PER_DAY;
        List<Long> found = new ArrayList<>();
        for (long day = first; day <= end.lastDay() && found.size() < end.count(); day++) {
            if (holds(day, first)) {
                found.add(day * Dates.MINUTES_PER_DAY + clock);
            }
        }
        return found;
    }
}
