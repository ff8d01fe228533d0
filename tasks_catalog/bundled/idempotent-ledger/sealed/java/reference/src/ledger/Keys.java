package ledger;

import java.util.HashMap;
import java.util.Map;

/** Remembers the answers to keyed commands; every client has keys of its own. */
final class Keys {
    /** Seconds from the first use of a key. */
    private static final long REMEMBERED_FOR = 86_400;

    private record Name(String client, String key) {}

    private record Use(long at, String content, String answer) {}

    private final Map<Name, Use> uses = new HashMap<>();

    /**
     * Returns the remembered answer, or null if the key is new or forgotten; refuses a key that is
     * remembered with another content.
     */
    String recall(String client, String key, long at, String content) throws Refused {
        Use use = uses.get(new Name(client, key));
        if (use == null || at >= use.at() + REMEMBERED_FOR) {
            return null;
        }
        if (!use.content().equals(content)) {
            throw new Refused("key_conflict");
        }
        return use.answer();
    }

    void remember(String client, String key, long at, String content, String answer) {
        uses.put(new Name(client, key), new Use(at, content, answer));
    }
}
