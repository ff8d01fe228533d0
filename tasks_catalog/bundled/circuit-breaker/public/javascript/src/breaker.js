// The circuit breaker itself.

export const CLOSED = "closed";
export const OPEN = "open";
export const HALF_OPEN = "half_open";

/** Counts failures in a row and opens when there are too many of them. */
export class Breaker {
  constructor(failureThreshold, cooldownMs, failureStatuses) {
    this.failureThreshold = failureThreshold;
    this.cooldownMs = cooldownMs;
    this.failureStatuses = failureStatuses;
    this.state = CLOSED;
    this.failures = 0;
    this.openedAt = 0;
  }

  /** The instant at which calls are tried again, or null unless open. */
  get retryAt() {
    return this.state === OPEN ? this.openedAt + this.cooldownMs : null;
  }

  admits() {
    return this.state !== OPEN;
  }

  /** Takes in the status code of a finished call; returns what it counted as. */
  record(status, at) {
    if (!this.failureStatuses.includes(status)) {
      this.failures = 0;
      return "success";
    }
    this.failures += 1;
    if (this.failures >= this.failureThreshold) {
      this.state = OPEN;
      this.openedAt = at;
      this.failures = 0;
    }
    return "failure";
  }
}
