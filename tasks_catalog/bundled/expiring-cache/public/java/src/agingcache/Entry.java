package agingcache;

import java.util.List;

/** `until` is the instant at which the entry has lived for its time to live. */
final class Entry {
    final String key;
    final String value;
    final long version;
    final long ttl;
    final List<String> tags;
    long until;

    Entry(String key, String value, long version, long ttl, long until, List<String> tags) {
        this.key = key;
        this.value = value;
        this.version = version;
        this.ttl = ttl;
        this.until = until;
        this.tags = tags;
    }

    long size() {
        return key.codePointCount(0, key.length()) + value.codePointCount(0, value.length());
    }

    boolean isDead(long at) {
        return at > until;
    }
}
