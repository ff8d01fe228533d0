import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Time that occurrences of two series have in common, with their originals. */
record Clash(long begin, long finish, long first, long second) {
    private static final Comparator<Clash> ORDER = Comparator.comparingLong(Clash::begin)
            .thenComparingLong(Clash::finish)
            .thenComparingLong(Clash::first)
            .thenComparingLong(Clash::second);

    /** Returns the clashes of two series whose common time overlaps the window, in order. */
    static List<Clash> between(Series one, Series other, long start, long end) {
        List<Clash> found = new ArrayList<>();
        List<Series.Occurrence> others = other.overlapping(start, end);
        for (Series.Occurrence a : one.overlapping(start, end)) {
            for (Series.Occurrence b : others) {
                long begin = Math.max(a.start(), b.start());
                long finish = Math.min(a.end(), b.end());
                if (begin < finish && begin < end && finish > start) {
                    found.add(new Clash(begin, finish, a.original(), b.original()));
                }
            }
        }
        found.sort(ORDER);
        return found;
    }
}
