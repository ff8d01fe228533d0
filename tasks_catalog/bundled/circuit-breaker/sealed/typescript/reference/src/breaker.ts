// The circuit breaker of one target.

export type State = "closed" | "open" | "half_open";
export type Counted = "success" | "failure" | "neither" | "late";

/** How one target's breaker is configured. */
export interface Settings {
  readonly failureThreshold: number;
  readonly cooldownMs: number;
  readonly successStatuses: ReadonlySet<number>;
  readonly failureStatuses: ReadonlySet<number>;
  readonly trialLimit: number;
  readonly trialSuccesses: number;
}

/**
 * Closed, open or half open; time enters only through `advance` and `record`.
 *
 * Every change of state begins a new period. A call belongs to the period in which it was
 * admitted, and its result counts in that period alone.
 */
export class Breaker {
  state: State = "closed";
  failures = 0;
  trials = 0;
  successes = 0;

  private period = 0;
  private readonly periodOfCall = new Map<string, number>();
  private openedAt = 0;

  constructor(private readonly settings: Settings) {}

  /** The instant at which an open breaker becomes half open, else null. */
  get retryAt(): number | null {
    return this.state === "open" ? this.cooldownEnd : null;
  }

  private get cooldownEnd(): number {
    return this.openedAt + this.settings.cooldownMs;
  }

  inFlight(call: string): boolean {
    return this.periodOfCall.has(call);
  }

  /** Lets time pass: an open breaker whose cooldown is over becomes half open. */
  advance(at: number): void {
    if (this.state === "open" && at >= this.cooldownEnd) {
      this.enter("half_open");
    }
  }

  /** Tells whether the call may go out; if so, it is in flight from now on. */
  admit(call: string): boolean {
    if (this.state === "open") {
      return false;
    }
    if (this.state === "half_open") {
      if (this.trials >= this.settings.trialLimit) {
        return false;
      }
      this.trials += 1;
    }
    this.periodOfCall.set(call, this.period);
    return true;
  }

  /** Takes in the result of a call in flight; returns what it counted as. */
  record(call: string, status: number, at: number): Counted {
    const period = this.periodOfCall.get(call);
    this.periodOfCall.delete(call);
    if (period !== this.period) {
      return "late";
    }
    const counted = this.classify(status);
    if (this.state === "closed") {
      this.recordNormal(counted, at);
    } else {
      this.recordTrial(counted, at);
    }
    return counted;
  }

  private classify(status: number): Counted {
    if (this.settings.successStatuses.has(status)) {
      return "success";
    }
    return this.settings.failureStatuses.has(status) ? "failure" : "neither";
  }

  private recordNormal(counted: Counted, at: number): void {
    if (counted === "success") {
      this.failures = 0;
    } else if (counted === "failure") {
      this.failures += 1;
      if (this.failures >= this.settings.failureThreshold) {
        this.open(at);
      }
    }
  }

  private recordTrial(counted: Counted, at: number): void {
    this.trials -= 1;
    if (counted === "failure") {
      this.open(at);
    } else if (counted === "success") {
      this.successes += 1;
      if (this.successes >= this.settings.trialSuccesses) {
        this.enter("closed");
      }
    }
  }

  private open(at: number): void {
    this.openedAt = at;
    this.enter("open");
  }

  private enter(state: State): void {
    this.state = state;
    this.period += 1;
    this.failures = 0;
    this.trials = 0;
    this.successes = 0;
  }
}
