// Carries out requests.

import { Breaker } from "./breaker.js";

/** Keeps the breaker and answers one request line after the other. */
export class Guard {
  #breaker = null;

  answer(line) {
    try {
      return this.#carryOut(JSON.parse(line));
    } catch {
      return { ok: false, error: "bad_request" };
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
      case "state":
        return this.#state(request);
      default:
        throw new Error("unknown operation");
    }
  }

  #configure(request) {
    this.#breaker = new Breaker(
      request.failure_threshold,
      request.cooldown_ms,
      request.failure_statuses,
    );
    return { ok: true, target: request.target, state: this.#breaker.state };
  }

  #call(request) {
    return {
      ok: true,
      target: request.target,
      call: request.call,
      admitted: this.#breaker.admits(),
      state: this.#breaker.state,
      retry_at: this.#breaker.retryAt,
    };
  }

  #result(request) {
    const counted = this.#breaker.record(request.status, request.at);
    return {
      ok: true,
      target: request.target,
      call: request.call,
      counted,
      state: this.#breaker.state,
    };
  }

  #state(request) {
    return {
      ok: true,
      target: request.target,
      state: this.#breaker.state,
      failures: this.#breaker.failures,
      trials: 0,
      successes: 0,
      retry_at: this.#breaker.retryAt,
    };
  }
}
