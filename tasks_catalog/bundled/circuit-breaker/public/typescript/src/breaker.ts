// The circuit breaker itself.

export type State = "closed" | "open" | "half_open";
export type Counted = "success" | "failure" | "neither" | "late";

/** Counts failures in a row and opens when there are too many of them. */
export class Breaker {
  state: State = "closed";
  failures = 0;

  private openedAt = 0;

  constructor(
    private readonly failureThreshold: number,
    private readonly cooldownMs: number,
    private readonly failureStatuses: readonly number[],
  ) {}

  /** The instant at which calls are tried again, or null unless open. */
  get retryAt(): number | null {
    return this.state === "open" ? this.openedAt + this.cooldownMs : null;
  }

  admits(): boolean {
    return this.state !== "open";
  }

  /** Takes in the status code of a finished call; returns what it counted as. */
  record(status: number, at: number): Counted {
    if (!this.failureStatuses.includes(status)) {
      this.failures = 0;
      return "success";
    }
    this.failures += 1;
    if (this.failures >= this.failureThreshold) {
      this.state = "open";
      this.openedAt = at;
      this.failures = 0;
    }
    return "failure";
  }
}
