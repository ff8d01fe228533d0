// The circuit breaker of one target.

export const CLOSED = "closed";
export const OPEN = "open";
export const HALF_OPEN = "half_open";

const SUCCESS = "success";
const FAILURE = "failure";
const NEITHER = "neither";
const LATE = "late";

/**
 * Closed, open or half open; time enters only through `advance` and `record`.
 *
 * Every change of state begins a new period. A call belongs to the period in which it was
 * admitted, and its result counts in that period alone.
 */
export class Breaker {
  state = CLOSED;
  failures = 0;
  trials = 0;
  successes = 0;

  #settings;
  #period = 0;
  #periodOfCall = new Map();
  #openedAt = 0;

  constructor(settings) {
    this.#settings = settings;
  }

  /** The instant at which an open breaker becomes half open, else null. */
  get retryAt() {
    return this.state === OPEN ? this.#openedAt + this.#settings.cooldownMs : null;
  }

  inFlight(call) {
    return this.#periodOfCall.has(call);
  }

  /** Lets time pass: an open breaker whose cooldown is over becomes half open. */
  advance(at) {
    if (this.state === OPEN && at >= this.retryAt) {
      this.#enter(HALF_OPEN);
    }
  }

  /** Tells whether the call may go out; if so, it is in flight from now on. */
  admit(call) {
    if (this.state === OPEN) {
      return false;
    }
    if (this.state === HALF_OPEN) {
      if (this.trials >= this.#settings.trialLimit) {
        return false;
      }
      this.trials += 1;
    }
    this.#periodOfCall.set(call, this.#period);
    return true;
  }

  /** Takes in the result of a call in flight; returns what it counted as. */
  record(call, status, at) {
    const period = this.#periodOfCall.get(call);
    this.#periodOfCall.delete(call);
    if (period !== this.#period) {
      return LATE;
    }
    const counted = this.#classify(status);
    if (this.state === CLOSED) {
      this.#recordNormal(counted, at);
    } else {
      this.#recordTrial(counted, at);
    }
    return counted;
  }

  #classify(status) {
    if (this.#settings.successStatuses.has(status)) {
      return SUCCESS;
    }
    return this.#settings.failureStatuses.has(status) ? FAILURE : NEITHER;
  }

  #recordNormal(counted, at) {
    if (counted === SUCCESS) {
      this.failures = 0;
    } else if (counted === FAILURE) {
      this.failures += 1;
      if (this.failures >= this.#settings.failureThreshold) {
        this.#open(at);
      }
    }
  }

  #recordTrial(counted, at) {
    this.trials -= 1;
    if (counted === FAILURE) {
      this.#open(at);
    } else if (counted === SUCCESS) {
      this.successes += 1;
      if (this.successes >= this.#settings.trialSuccesses) {
        this.#enter(CLOSED);
      }
    }
  }

  #open(at) {
    this.#openedAt = at;
    this.#enter(OPEN);
  }

  #enter(state) {
    this.state = state;
    this.#period += 1;
    this.failures = 0;
    this.trials = 0;
    this.successes = 0;
  }
}
