import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** On which days a meeting repeats. */
interface Rule {
    long LAST_DAY = Dates.dayNumber(2199, 12, 31);

    /** Tells whether a series that starts on the day {@code first} has an occurrence on {@code day}. */
    boolean holds(long day, long first);

    /** After so many occurrences or before a day, whichever is first. */
    record End(long count, long day) {}

    static Rule daily(long interval) {
        return (day, first) -> (day - first) % interval == 0;
    }

    static Rule weekly(long interval, Set<Integer> weekdays) {
        return (day, first) -> {
            long weeks = (day - first) / 7;
            return weeks % interval == 0 && weekdays.contains(Dates.weekday(day));
        };
    }

    static Rule monthlyDay(long interval, long chosen) {
        return (day, first) -> {
            Dates.Civil from = Dates.civil(first);
            Dates.Civil to = Dates.civil(day);
            long months = (to.year() - from.year()) * 12 + to.month() - from.month();
            long length = Dates.monthLength(to.year(), to.month());
            return months % interval == 0 && to.day() == Math.min(chosen, length);
        };
    }

    /** Returns the local minutes that the rule yields, in order. */
    default List<Long> originals(long start, End end) {
        long first = start / Dates.MINUTES_PER_DAY;
        long clock = start % Dates.MINUTES_PER_DAY;
        List<Long> found = new ArrayList<>();
        for (long day = first; day < end.day() && found.size() < end.count(); day++) {
            if (holds(day, first)) {
                found.add(day * Dates.MINUTES_PER_DAY + clock);
            }
        }
        return found;
    }
}
