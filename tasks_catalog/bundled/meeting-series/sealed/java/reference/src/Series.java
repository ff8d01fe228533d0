import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** One series of occurrences and what was done to them. */
final class Series {
    /** The original is a local minute, start and end are instants. */
    record Occurrence(Series series, long original, long start, long end) {
        boolean overlaps(long from, long to) {
            return start < to && end > from;
        }
    }

    /** When an occurrence starts on the clocks, and how long it lasts; skipped ones have SKIPPED. */
    private record Plan(long local, long minutes) {}

    private static final Plan SKIPPED = new Plan(0, 0);

    final String name;
    final Zone zone;
    private final long minutes;
    private final Map<Long, Plan> plans = new TreeMap<>();
    private final Set<Long> changed = new HashSet<>();

    Series(String name, Zone zone, long minutes, List<Long> originals) {
        this.name = name;
        this.zone = zone;
        this.minutes = minutes;
        for (long original : originals) {
            plans.put(original, new Plan(original, minutes));
        }
    }

    void skip(long original) throws Refused {
        planned(original);
        plans.put(original, SKIPPED);
        changed.add(original);
    }

    /** Minutes that are null are those of the series. */
    void move(long original, long local, Long given) throws Refused {
        planned(original);
        plans.put(original, new Plan(local, given == null ? minutes : given));
        changed.add(original);
    }

    void restore(long original) throws Refused {
        known(original);
        if (!changed.contains(original)) {
            throw new Refused("not_changed");
        }
        plans.put(original, new Plan(original, minutes));
        changed.remove(original);
    }

    /** Returns when an occurrence that is not skipped takes place. */
    Occurrence occurrence(long original) {
        Plan plan = plans.get(original);
        long start = zone.instant(plan.local());
        return new Occurrence(this, original, start, start + plan.minutes());
    }

    /** Returns the occurrences that overlap the window, in the order of their originals. */
    List<Occurrence> overlapping(long from, long to) {
        List<Occurrence> found = new ArrayList<>();
        plans.forEach((original, plan) -> {
            if (plan != SKIPPED && occurrence(original).overlaps(from, to)) {
                found.add(occurrence(original));
            }
        });
        return found;
    }

    private Plan known(long original) throws Refused {
        Plan plan = plans.get(original);
        if (plan == null) {
            throw new Refused("unknown_occurrence");
        }
        return plan;
    }

    private Plan planned(long original) throws Refused {
        Plan plan = known(original);
        if (plan == SKIPPED) {
            throw new Refused("already_skipped");
        }
        return plan;
    }
}
