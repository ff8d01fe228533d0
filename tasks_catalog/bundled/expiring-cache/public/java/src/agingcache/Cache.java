package agingcache;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Answers one line after the other. */
public final class Cache {
    private static final String REFUSED = "refused bad_command";
    private static final int FIELDS_OF_SET = 7;

    private Store store = new Store(0);
    private long version = 0;
    private final Map<String, Long> counts = new HashMap<>();

    /** The lines of removals and the answer line of a command. */
    public List<String> answer(String line) {
        String[] fields = line.split(" ", line.startsWith("set ") ? 1 + FIELDS_OF_SET : -1);
        if (fields[0].equals("set") && fields.length == 1 + FIELDS_OF_SET) {
            return set(number(fields[1]), fields[2], number(fields[4]), List.of(fields[6].split(",", -1)), fields[7]);
        }
        if (fields[0].equals("stats") && fields.length == 2) {
            return List.of(stats());
        }
        if (fields.length != 3) {
            return List.of(REFUSED);
        }
        long first = number(fields[1]);
        switch (fields[0]) {
            case "cache":
                store = new Store(first);
                return List.of("ok");
            case "get":
                return get(first, fields[2]);
            case "touch":
                return touch(first, fields[2]);
            case "delete":
                return delete(first, fields[2]);
            case "invalidate":
                return invalidate(first, fields[2]);
            case "resize":
                store.capacity = number(fields[2]);
                return List.of("ok " + store.used());
            default:
                return List.of(REFUSED);
        }
    }

    private List<String> set(long at, String key, long ttl, List<String> tags, String value) {
        version++;
        List<String> lines = bury(at, key);
        for (String evicted : store.put(new Entry(key, value, version, ttl, at + ttl, tags))) {
            lines.add(removed(evicted, "evicted"));
        }
        lines.add("ok " + version);
        return lines;
    }

    private List<String> get(long at, String key) {
        List<String> lines = bury(at, key);
        Entry entry = store.entries.get(key);
        if (entry == null) {
            count("misses");
            lines.add("miss yes");
            return lines;
        }
        count("hits");
        lines.add("hit " + entry.version + " " + entry.value);
        return lines;
    }

    private List<String> touch(long at, String key) {
        Entry entry = store.entries.get(key);
        if (entry == null || entry.isDead(at)) {
            return List.of(REFUSED);
        }
        entry.until = at + entry.ttl;
        return List.of("ok " + entry.until);
    }

    private List<String> delete(long at, String key) {
        Entry entry = store.entries.get(key);
        if (entry == null || entry.isDead(at)) {
            return List.of(REFUSED);
        }
        store.entries.remove(key);
        return List.of("ok");
    }

    private List<String> invalidate(long at, String tag) {
        List<String> keys = store.entries.values().stream()
                .filter(entry -> entry.tags.contains(tag) && !entry.isDead(at))
                .map(entry -> entry.key)
                .sorted()
                .toList();
        List<String> lines = new ArrayList<>();
        for (String key : keys) {
            store.entries.remove(key);
            lines.add(removed(key, "invalidated"));
        }
        lines.add("ok " + keys.size());
        return lines;
    }

    private String stats() {
        return "ok entries=" + store.entries.size() + " bytes=" + store.used()
                + " hits=" + counted("hits") + " stale=0 absent=0 misses=" + counted("misses")
                + " expired=" + counted("expired") + " evicted=" + counted("evicted")
                + " invalidated=" + counted("invalidated") + " loading=0";
    }

    private List<String> bury(long at, String key) {
        List<String> lines = new ArrayList<>();
        Entry entry = store.entries.get(key);
        if (entry != null && entry.isDead(at)) {
            store.entries.remove(key);
            lines.add(removed(key, "expired"));
        }
        return lines;
    }

    private String removed(String key, String cause) {
        count(cause);
        return "removed " + key + " " + cause;
    }

    private void count(String name) {
        counts.merge(name, 1L, Long::sum);
    }

    private long counted(String name) {
        return counts.getOrDefault(name, 0L);
    }

    /** The number that a field holds; 0 if it holds none. */
    private static long number(String text) {
        return text.matches("[0-9]{1,13}") ? Long.parseLong(text) : 0;
    }
}
