package agingcache;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Answers one line after the other.
 *
 * Each operation first throws all its refusals, and only then begins to change anything.
 */
public final class Cache {
    private static final List<String> COUNTED =
            List.of("hits", "stale", "absent", "misses", Store.EXPIRED, Store.EVICTED, Store.INVALIDATED);

    private boolean isOpen = false;
    private Store store = new Store(0);
    private long longest = 0;
    private long clock = 0;
    private long version = 0;
    private final Loads loads = new Loads();
    private final Map<String, Long> counts = new HashMap<>();
    private List<String> removals = new ArrayList<>();

    /** The lines of removals and the answer line of a command. */
    public List<String> answer(String line) {
        removals = new ArrayList<>();
        try {
            String answer = carryOut(Command.parse(line));
            removals.add(answer);
            return removals;
        } catch (Refused refusal) {
            return List.of(refusal.getMessage());
        }
    }

    private String carryOut(Command command) {
        if (command.name.equals("cache")) {
            return open(command);
        }
        if (!isOpen) {
            throw new Refused("not_open");
        }
        if (Text.countCharacters(command.key) > longest) {
            throw new Refused("key_too_long");
        }
        if (Text.countCharacters(command.value) > longest) {
            throw new Refused("value_too_long");
        }
        if (command.at < clock) {
            throw new Refused("time_backwards");
        }
        String answer = operate(command);
        clock = command.at;
        return answer;
    }

    private String operate(Command command) {
        return switch (command.name) {
            case "set" -> set(command, command.value);
            case "absent" -> set(command, null);
            case "cas" -> cas(command);
            case "get" -> get(command);
            case "touch" -> touch(command);
            case "delete" -> delete(command);
            case "invalidate" -> invalidate(command);
            case "load" -> load(command);
            case "loaded" -> loaded(command);
            case "failed" -> failed(command);
            case "resize" -> resize(command);
            default -> stats(command);
        };
    }

    private String open(Command command) {
        if (isOpen) {
            throw new Refused("already_open");
        }
        isOpen = true;
        store = new Store(command.bytes);
        longest = command.chars;
        return "ok";
    }

    private String set(Command command, String value) {
        refuseTooLarge(command, value);
        return write(command, value);
    }

    private String cas(Command command) {
        Entry entry = store.live(command.key, command.at);
        long present = entry == null ? 0 : entry.version;
        if (present != command.version) {
            throw new Refused("wrong_version", present);
        }
        return set(command, command.value);
    }

    private String get(Command command) {
        bury(command);
        String refresh = loads.underWay(command.key, command.at) == null ? "yes" : "no";
        Entry entry = store.live(command.key, command.at);
        if (entry == null) {
            count("misses");
            return "miss " + refresh;
        }
        entry.lastUse = command.at;
        if (!entry.isFresh(command.at)) {
            count("stale");
            return "stale " + entry.version + " " + refresh + " " + entry.value;
        }
        if (entry.slides) {
            entry.renew(command.at);
        }
        if (entry.value == null) {
            count("absent");
            return "absent " + entry.version;
        }
        count("hits");
        return "hit " + entry.version + " " + entry.value;
    }

    private String touch(Command command) {
        Entry entry = find(command);
        if (!entry.isFresh(command.at)) {
            throw new Refused("not_fresh");
        }
        entry.renew(command.at);
        entry.lastUse = command.at;
        return "ok " + entry.freshUntil;
    }

    private String delete(Command command) {
        find(command);
        store.entries.remove(command.key);
        loads.overtake(command.key);
        return "ok";
    }

    private String invalidate(Command command) {
        String tag = command.tags.get(0);
        List<String> keys = store.entries.values().stream()
                .filter(entry -> entry.tags.contains(tag) && entry.isLive(command.at))
                .map(entry -> entry.key)
                .sorted(Text::compareByCodePoints)
                .toList();
        for (String key : keys) {
            store.entries.remove(key);
            loads.overtake(key);
            removed(key, Store.INVALIDATED);
        }
        loads.invalidate(tag);
        return "ok " + keys.size();
    }

    private String load(Command command) {
        Entry entry = store.live(command.key, command.at);
        if (entry != null && entry.isFresh(command.at)) {
            throw new Refused("fresh");
        }
        Load load = loads.underWay(command.key, command.at);
        if (load != null) {
            throw new Refused("in_flight", load.ticket);
        }
        bury(command);
        return "ok " + loads.begin(command.key, command.at + command.lease);
    }

    private String loaded(Command command) {
        Load load = findLoad(command);
        refuseTooLarge(command, command.value);
        loads.end(command.key);
        if (load.isSuperseded(command.tags)) {
            bury(command);
            return "ok superseded";
        }
        return write(command, command.value);
    }

    private String failed(Command command) {
        findLoad(command);
        bury(command);
        loads.end(command.key);
        return "ok";
    }

    private String resize(Command command) {
        store.capacity = command.bytes;
        makeRoom(0, command.at);
        return "ok " + store.used();
    }

    private String stats(Command command) {
        StringBuilder line = new StringBuilder("ok entries=" + store.entries.size() + " bytes=" + store.used());
        for (String name : COUNTED) {
            line.append(" ").append(name).append("=").append(counts.getOrDefault(name, 0L));
        }
        return line + " loading=" + loads.count(command.at);
    }

    private Entry find(Command command) {
        Entry entry = store.live(command.key, command.at);
        if (entry == null) {
            throw new Refused("not_found");
        }
        return entry;
    }

    private Load findLoad(Command command) {
        Load load = loads.underWay(command.key, command.at);
        if (load == null || load.ticket != command.ticket) {
            throw new Refused("unknown_load");
        }
        return load;
    }

    private void refuseTooLarge(Command command, String value) {
        if (Entry.sizeOf(command.key, value) > store.capacity) {
            throw new Refused("too_large");
        }
    }

    private String write(Command command, String value) {
        bury(command);
        store.entries.remove(command.key);
        makeRoom(Entry.sizeOf(command.key, value), command.at);
        version++;
        store.entries.put(command.key, new Entry(command, value, version));
        loads.overtake(command.key);
        return "ok " + version;
    }

    private void makeRoom(long size, long at) {
        for (Store.Removal removal : store.makeRoom(size, at)) {
            removed(removal.key(), removal.cause());
        }
    }

    /** Removes the entry of the command's key if it is dead. */
    private void bury(Command command) {
        Entry entry = store.entries.get(command.key);
        if (entry != null && !entry.isLive(command.at)) {
            store.entries.remove(command.key);
            removed(command.key, Store.EXPIRED);
        }
    }

    private void removed(String key, String cause) {
        count(cause);
        removals.add("removed " + key + " " + cause);
    }

    private void count(String name) {
        counts.merge(name, 1L, Long::sum);
    }
}
