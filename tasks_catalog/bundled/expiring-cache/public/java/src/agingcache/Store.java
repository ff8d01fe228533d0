package agingcache;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Entries by key, in the order in which they were stored. */
final class Store {
    final Map<String, Entry> entries = new LinkedHashMap<>();
    long capacity;

    Store(long capacity) {
        this.capacity = capacity;
    }

    long used() {
        return entries.values().stream().mapToLong(Entry::size).sum();
    }

    /** Stores an entry; returns the keys of those that had to go. */
    List<String> put(Entry entry) {
        entries.remove(entry.key);
        List<String> evicted = new ArrayList<>();
        while (!entries.isEmpty() && used() + entry.size() > capacity) {
            String first = entries.keySet().iterator().next();
            entries.remove(first);
            evicted.add(first);
        }
        entries.put(entry.key, entry);
        return evicted;
    }
}
