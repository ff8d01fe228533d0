package breakerguard;

import java.util.Set;

/** How one target's breaker is configured. */
record Settings(
        long failureThreshold,
        long cooldownMs,
        Set<Long> successStatuses,
        Set<Long> failureStatuses,
        long trialLimit,
        long trialSuccesses) {

    Counted classify(long status) {
        if (successStatuses.contains(status)) {
            return Counted.SUCCESS;
        }
        return failureStatuses.contains(status) ? Counted.FAILURE : Counted.NEITHER;
    }
}
