package agingcache;

import java.util.HashMap;
import java.util.Map;

/** At most one load of a key is under way at a time. */
final class Loads {
    private long lastTicket = 0;
    private final Map<String, Load> byKey = new HashMap<>();

    /** The load of this key whose lease has not ended, or null. */
    Load underWay(String key, long at) {
        Load load = byKey.get(key);
        return load != null && at < load.until ? load : null;
    }

    /** Begins a load; returns its ticket. */
    long begin(String key, long until) {
        lastTicket++;
        byKey.put(key, new Load(lastTicket, until));
        return lastTicket;
    }

    void end(String key) {
        byKey.remove(key);
    }

    /** Something newer than what the load of this key will bring has happened to the key. */
    void overtake(String key) {
        Load load = byKey.get(key);
        if (load != null) {
            load.overtaken = true;
        }
    }

    void invalidate(String tag) {
        for (Load load : byKey.values()) {
            load.invalidated.add(tag);
        }
    }

    long count(long at) {
        return byKey.values().stream().filter(load -> at < load.until).count();
    }
}
