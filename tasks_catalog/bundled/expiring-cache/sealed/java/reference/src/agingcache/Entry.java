package agingcache;

import java.util.List;

/** `value` is null if the entry says that there is no such thing. */
final class Entry {
    final String key;
    final String value;
    final long version;
    final boolean slides;
    final long ttl;
    final long stale;
    final List<String> tags;
    long freshUntil;
    long lastUse;

    Entry(Command command, String value, long version) {
        this.key = command.key;
        this.value = value;
        this.version = version;
        this.slides = command.slides;
        this.ttl = command.ttl;
        this.stale = command.stale;
        this.tags = command.tags;
        this.freshUntil = command.at + command.ttl;
        this.lastUse = command.at;
    }

    /** The bytes that an entry uses. */
    static long sizeOf(String key, String value) {
        return Text.countBytes(key) + (value == null ? 0 : Text.countBytes(value));
    }

    long size() {
        return sizeOf(key, value);
    }

    long deadFrom() {
        return freshUntil + stale;
    }

    boolean isFresh(long at) {
        return at < freshUntil;
    }

    boolean isLive(long at) {
        return at < deadFrom();
    }

    void renew(long at) {
        freshUntil = at + ttl;
    }
}
