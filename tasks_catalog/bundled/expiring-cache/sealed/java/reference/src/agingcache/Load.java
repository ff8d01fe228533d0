package agingcache;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** `invalidated` holds the tags that were invalidated since the load began. */
final class Load {
    final long ticket;
    final long until;
    boolean overtaken = false;
    final Set<String> invalidated = new HashSet<>();

    Load(long ticket, long until) {
        this.ticket = ticket;
        this.until = until;
    }

    boolean isSuperseded(List<String> tags) {
        return overtaken || tags.stream().anyMatch(invalidated::contains);
    }
}
