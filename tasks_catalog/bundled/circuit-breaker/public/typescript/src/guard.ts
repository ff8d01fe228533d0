// Carries out requests.

import { Breaker } from "./breaker";

export type Answer = Record<string, string | number | boolean | null>;

/** The keys of all operations; a line holds those of its own. */
interface RequestLine {
  op: string;
  target: string;
  call: string;
  at: number;
  status: number;
  failure_threshold: number;
  cooldown_ms: number;
  failure_statuses: number[];
}

/** Keeps the breaker and answers one request line after the other. */
export class Guard {
  private breaker: Breaker | null = null;

  answer(line: string): Answer {
    try {
      return this.carryOut(JSON.parse(line) as RequestLine);
    } catch {
      return { ok: false, error: "bad_request" };
    }
  }

  private carryOut(request: RequestLine): Answer {
    switch (request.op) {
      case "configure":
        return this.configure(request);
      case "call":
        return this.call(request);
      case "result":
        return this.result(request);
      case "state":
        return this.state(request);
      default:
        throw new Error("unknown operation");
    }
  }

  private configure(request: RequestLine): Answer {
    this.breaker = new Breaker(
      request.failure_threshold,
      request.cooldown_ms,
      request.failure_statuses,
    );
    return { ok: true, target: request.target, state: this.breaker.state };
  }

  private call(request: RequestLine): Answer {
    const breaker = this.configured();
    return {
      ok: true,
      target: request.target,
      call: request.call,
      admitted: breaker.admits(),
      state: breaker.state,
      retry_at: breaker.retryAt,
    };
  }

  private result(request: RequestLine): Answer {
    const breaker = this.configured();
    const counted = breaker.record(request.status, request.at);
    return {
      ok: true,
      target: request.target,
      call: request.call,
      counted,
      state: breaker.state,
    };
  }

  private state(request: RequestLine): Answer {
    const breaker = this.configured();
    return {
      ok: true,
      target: request.target,
      state: breaker.state,
      failures: breaker.failures,
      trials: 0,
      successes: 0,
      retry_at: breaker.retryAt,
    };
  }

  private configured(): Breaker {
    if (this.breaker === null) {
      throw new Error("no breaker");
    }
    return this.breaker;
  }
}
