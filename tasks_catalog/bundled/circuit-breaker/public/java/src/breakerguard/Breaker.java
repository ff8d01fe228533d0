package breakerguard;

import java.util.List;

/** The circuit breaker itself: counts failures in a row and opens when there are too many of them. */
final class Breaker {
    static final String CLOSED = "closed";
    static final String OPEN = "open";
    static final String HALF_OPEN = "half_open";

    private final long failureThreshold;
    private final long cooldownMs;
    private final List<Long> failureStatuses;
    private String state = CLOSED;
    private long failures = 0;
    private long openedAt = 0;

    Breaker(long failureThreshold, long cooldownMs, List<Long> failureStatuses) {
        this.failureThreshold = failureThreshold;
        this.cooldownMs = cooldownMs;
        this.failureStatuses = failureStatuses;
    }

    String state() {
        return state;
    }

    long failures() {
        return failures;
    }

    /** The instant at which calls are tried again, or null unless open. */
    Long retryAt() {
        return state.equals(OPEN) ? Long.valueOf(openedAt + cooldownMs) : null;
    }

    boolean admits() {
        return !state.equals(OPEN);
    }

    /** Takes in the status code of a finished call; returns what it counted as. */
    String record(long status, long at) {
        if (!failureStatuses.contains(status)) {
            failures = 0;
            return "success";
        }
        failures++;
        if (failures >= failureThreshold) {
            state = OPEN;
            openedAt = at;
            failures = 0;
        }
        return "failure";
    }
}
