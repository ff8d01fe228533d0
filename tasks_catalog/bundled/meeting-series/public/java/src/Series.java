import java.util.ArrayList;
import java.util.List;

/** One series of occurrences. */
final class Series {
    /** The original is a local minute, start and end are instants. */
    record Occurrence(Series series, long original, long start, long end) {
        boolean overlaps(long from, long to) {
            return start < to && end > from;
        }
    }

    final String name;
    final long offset;
    private final long minutes;
    private final List<Long> originals;

    Series(String name, long offset, long minutes, List<Long> originals) {
        this.name = name;
        this.offset = offset;
        this.minutes = minutes;
        this.originals = originals;
    }

    Occurrence occurrence(long original) {
        long start = original - offset;
        return new Occurrence(this, original, start, start + minutes);
    }

    /** Returns the occurrences that overlap the window, in the order of their originals. */
    List<Occurrence> overlapping(long from, long to) {
        List<Occurrence> found = new ArrayList<>();
        for (long original : originals) {
            Occurrence occurrence = occurrence(original);
            if (occurrence.overlaps(from, to)) {
                found.add(occurrence);
            }
        }
        return found;
    }
}
