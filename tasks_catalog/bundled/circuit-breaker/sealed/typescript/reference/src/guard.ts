// Carries out requests.

import { Breaker } from "./breaker";
import { Refused } from "./refusal";
import { type Call, type Configure, parse, type Query, type Request, type Result } from "./request";

export type Answer = Record<string, string | number | boolean | null>;

/** Keeps every target's breaker and the clock; answers one line after the other. */
export class Guard {
  private readonly breakers = new Map<string, Breaker>();
  private clock = 0;

  answer(line: string): Answer {
    try {
      const request = parse(line);
      return { ok: true, target: request.target, ...this.carryOut(request) };
    } catch (error) {
      if (error instanceof Refused) {
        return { ok: false, error: error.kind };
      }
      throw error;
    }
  }

  private carryOut(request: Request): Answer {
    switch (request.op) {
      case "configure":
        return this.configure(request);
      case "call":
        return this.call(request);
      case "result":
        return this.result(request);
      case "state":
        return this.state(request);
    }
  }

  private configure({ target, settings }: Configure): Answer {
    for (const status of settings.successStatuses) {
      if (settings.failureStatuses.has(status)) {
        throw new Refused("conflicting_statuses");
      }
    }
    if (this.breakers.has(target)) {
      throw new Refused("already_configured");
    }
    const breaker = new Breaker(settings);
    this.breakers.set(target, breaker);
    return { state: breaker.state };
  }

  private call({ target, call, at }: Call): Answer {
    const breaker = this.breaker(target, at);
    if (breaker.inFlight(call)) {
      throw new Refused("duplicate_call");
    }
    this.advance(breaker, at);
    const admitted = breaker.admit(call);
    return { call, admitted, state: breaker.state, retry_at: breaker.retryAt };
  }

  private result({ target, call, at, status }: Result): Answer {
    const breaker = this.breaker(target, at);
    if (!breaker.inFlight(call)) {
      throw new Refused("unknown_call");
    }
    this.advance(breaker, at);
    const counted = breaker.record(call, status, at);
    return { call, counted, state: breaker.state };
  }

  private state({ target, at }: Query): Answer {
    const breaker = this.breaker(target, at);
    this.advance(breaker, at);
    return {
      state: breaker.state,
      failures: breaker.failures,
      trials: breaker.trials,
      successes: breaker.successes,
      retry_at: breaker.retryAt,
    };
  }

  private breaker(target: string, at: number): Breaker {
    const breaker = this.breakers.get(target);
    if (breaker === undefined) {
      throw new Refused("unknown_target");
    }
    if (at < this.clock) {
      throw new Refused("time_backwards");
    }
    return breaker;
  }

  private advance(breaker: Breaker, at: number): void {
    this.clock = at;
    breaker.advance(at);
  }
}
