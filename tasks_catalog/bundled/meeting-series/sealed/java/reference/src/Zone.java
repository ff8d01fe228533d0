import java.util.List;

/** The clocks of one zone: a first offset and transitions. */
final class Zone {
    /** An instant and the offset from then on. */
    record Transition(long at, long offset) {}

    private final long offset;
    private final List<Transition> transitions;

    Zone(long offset, List<Transition> transitions) {
        this.offset = offset;
        this.transitions = transitions;
    }

    /** Returns the instant at which the clocks show this local time. */
    long instant(long local) {
        long current = offset;
        for (Transition next : transitions) {
            // The offset before a transition serves for what the clocks repeat and for what they leave out.
            if (local < next.at() + Math.max(current, next.offset())) {
                break;
            }
            current = next.offset();
        }
        return local - current;
    }

    long local(long instant) {
        long current = offset;
        for (Transition next : transitions) {
            if (instant < next.at()) {
                break;
            }
            current = next.offset();
        }
        return instant + current;
    }
}
