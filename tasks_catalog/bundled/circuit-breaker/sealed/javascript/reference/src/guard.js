// Carries out requests.

import { Breaker } from "./breaker.js";
import { Refused } from "./refusal.js";
import { parse } from "./request.js";

/** Keeps every target's breaker and the clock; answers one line after the other. */
export class Guard {
  #breakers = new Map();
  #clock = 0;

  answer(line) {
    try {
      const request = parse(line);
      return { ok: true, target: request.target, ...this.#carryOut(request) };
    } catch (error) {
      if (error instanceof Refused) {
        return { ok: false, error: error.kind };
      }
      throw error;
    }
  }

  #carryOut(request) {
    switch (request.op) {
      case "configure":
        return this.#configure(request);
      case "call":
        return this.#call(request);
      case "result":
        return this.#result(request);
      default:
        return this.#state(request);
    }
  }

  #configure(request) {
    const successStatuses = new Set(request.success_statuses);
    const failureStatuses = new Set(request.failure_statuses);
    if (request.success_statuses.some((status) => failureStatuses.has(status))) {
      throw new Refused("conflicting_statuses");
    }
    if (this.#breakers.has(request.target)) {
      throw new Refused("already_configured");
    }
    const breaker = new Breaker({
      failureThreshold: request.failure_threshold,
      cooldownMs: request.cooldown_ms,
      successStatuses,
      failureStatuses,
      trialLimit: request.trial_limit,
      trialSuccesses: request.trial_successes,
    });
    this.#breakers.set(request.target, breaker);
    return { state: breaker.state };
  }

  #call({ target, call, at }) {
    const breaker = this.#breaker(target, at);
    if (breaker.inFlight(call)) {
      throw new Refused("duplicate_call");
    }
    this.#advance(breaker, at);
    const admitted = breaker.admit(call);
    return { call, admitted, state: breaker.state, retry_at: breaker.retryAt };
  }

  #result({ target, call, at, status }) {
    const breaker = this.#breaker(target, at);
    if (!breaker.inFlight(call)) {
      throw new Refused("unknown_call");
    }
    this.#advance(breaker, at);
    const counted = breaker.record(call, status, at);
    return { call, counted, state: breaker.state };
  }

  #state({ target, at }) {
    const breaker = this.#breaker(target, at);
    this.#advance(breaker, at);
    return {
      state: breaker.state,
      failures: breaker.failures,
      trials: breaker.trials,
      successes: breaker.successes,
      retry_at: breaker.retryAt,
    };
  }

  #breaker(target, at) {
    const breaker = this.#breakers.get(target);
    if (breaker === undefined) {
      throw new Refused("unknown_target");
    }
    if (at < this.#clock) {
      throw new Refused("time_backwards");
    }
    return breaker;
  }

  #advance(breaker, at) {
    this.#clock = at;
    breaker.advance(at);
  }
}
