package agingcache;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Entries by key. Dead ones stay until they are removed. */
final class Store {
    static final String EXPIRED = "expired";
    static final String EVICTED = "evicted";
    static final String INVALIDATED = "invalidated";

    record Removal(String key, String cause) {}

    private static final Comparator<Entry> BY_KEY = (a, b) -> Text.compareByCodePoints(a.key, b.key);
    private static final Comparator<Entry> AMONG_DEAD = Comparator.comparingLong(Entry::deadFrom).thenComparing(BY_KEY);
    private static final Comparator<Entry> AMONG_LIVE = Comparator.<Entry>comparingLong(entry -> entry.lastUse)
            .thenComparing(Comparator.comparingLong(Entry::size).reversed())
            .thenComparing(BY_KEY);

    final Map<String, Entry> entries = new HashMap<>();
    long capacity;

    Store(long capacity) {
        this.capacity = capacity;
    }

    long used() {
        return entries.values().stream().mapToLong(Entry::size).sum();
    }

    /** The live entry of this key, or null. */
    Entry live(String key, long at) {
        Entry entry = entries.get(key);
        return entry != null && entry.isLive(at) ? entry : null;
    }

    /** Removes entries until `size` more bytes fit; returns each key with its cause. */
    List<Removal> makeRoom(long size, long at) {
        List<Removal> removed = new ArrayList<>();
        while (used() + size > capacity) {
            Entry victim = Collections.min(entries.values(), (a, b) -> compareTurns(a, b, at));
            entries.remove(victim.key);
            removed.add(new Removal(victim.key, victim.isLive(at) ? EVICTED : EXPIRED));
        }
        return removed;
    }

    private static int compareTurns(Entry a, Entry b, long at) {
        if (a.isLive(at) != b.isLive(at)) {
            return a.isLive(at) ? 1 : -1;
        }
        return a.isLive(at) ? AMONG_LIVE.compare(a, b) : AMONG_DEAD.compare(a, b);
    }
}
