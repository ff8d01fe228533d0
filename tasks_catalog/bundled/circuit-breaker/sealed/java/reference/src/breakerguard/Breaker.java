package breakerguard;

import java.util.HashMap;
import java.util.Map;

/**
 * The circuit breaker of one target: closed, open or half open. Time enters only through {@link
 * #advance} and {@link #record}.
 *
 * <p>Every change of state begins a new period. A call belongs to the period in which it was
 * admitted, and its result counts in that period alone.
 */
final class Breaker {
    private final Settings settings;
    private final Map<String, Long> periodOfCall = new HashMap<>();
    private State state = State.CLOSED;
    private long period = 0;
    private long openedAt = 0;
    private long failures = 0;
    private long trials = 0;
    private long successes = 0;

    Breaker(Settings settings) {
        this.settings = settings;
    }

    State state() {
        return state;
    }

    /** The failures in a row while closed. */
    long failures() {
        return failures;
    }

    /** The trial calls in flight while half open. */
    long trials() {
        return trials;
    }

    /** The successful trials while half open. */
    long successes() {
        return successes;
    }

    /** The instant at which an open breaker becomes half open, else null. */
    Long retryAt() {
        return state == State.OPEN ? Long.valueOf(cooldownEnd()) : null;
    }

    /** Tells whether the call was admitted and has no result yet. */
    boolean inFlight(String call) {
        return periodOfCall.containsKey(call);
    }

    /** Lets time pass: an open breaker whose cooldown is over becomes half open. */
    void advance(long at) {
        if (state == State.OPEN && at >= cooldownEnd()) {
            enter(State.HALF_OPEN);
        }
    }

    /** Tells whether the call may go out; if so, it is in flight from now on. */
    boolean admit(String call) {
        if (state == State.OPEN) {
            return false;
        }
        if (state == State.HALF_OPEN) {
            if (trials >= settings.trialLimit()) {
                return false;
            }
            trials++;
        }
        periodOfCall.put(call, period);
        return true;
    }

    /** Takes in the result of a call in flight; returns what it counted as. */
    Counted record(String call, long status, long at) {
        if (periodOfCall.remove(call) != period) {
            return Counted.LATE;
        }
        Counted counted = settings.classify(status);
        if (state == State.CLOSED) {
            recordNormal(counted, at);
        } else {
            recordTrial(counted, at);
        }
        return counted;
    }

    private void recordNormal(Counted counted, long at) {
        if (counted == Counted.SUCCESS) {
            failures = 0;
        } else if (counted == Counted.FAILURE) {
            failures++;
            if (failures >= settings.failureThreshold()) {
                open(at);
            }
        }
    }

    private void recordTrial(Counted counted, long at) {
        trials--;
        if (counted == Counted.FAILURE) {
            open(at);
        } else if (counted == Counted.SUCCESS) {
            successes++;
            if (successes >= settings.trialSuccesses()) {
                enter(State.CLOSED);
            }
        }
    }

    private long cooldownEnd() {
        return openedAt + settings.cooldownMs();
    }

    private void open(long at) {
        openedAt = at;
        enter(State.OPEN);
    }

    private void enter(State next) {
        state = next;
        period++;
        failures = 0;
        trials = 0;
        successes = 0;
    }
}
