// From a line to a request that has every field in its type and range.

import type { Settings } from "./breaker";
import { COUNT, Fields, INSTANT, STATUS } from "./fields";
import { Refused } from "./refusal";

export interface Configure {
  readonly op: "configure";
  readonly target: string;
  readonly settings: Settings;
}

export interface Call {
  readonly op: "call";
  readonly target: string;
  readonly call: string;
  readonly at: number;
}

export interface Result {
  readonly op: "result";
  readonly target: string;
  readonly call: string;
  readonly at: number;
  readonly status: number;
}

export interface Query {
  readonly op: "state";
  readonly target: string;
  readonly at: number;
}

export type Request = Configure | Call | Result | Query;

/** Returns the request on a line, or throws Refused. */
export function parse(line: string): Request {
  const values = parseObject(line);
  if (!values.has("op")) {
    throw new Refused("missing_field");
  }
  const op = values.get("op");
  if (typeof op !== "string") {
    throw new Refused("wrong_type");
  }
  const fields = new Fields(values);
  const request = read(op, fields);
  fields.verify();
  return request;
}

function parseObject(line: string): ReadonlyMap<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new Refused("invalid_json");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Refused("not_an_object");
  }
  return new Map(Object.entries(value));
}

function read(op: string, fields: Fields): Request {
  switch (op) {
    case "configure":
      return {
        op,
        target: fields.name("target"),
        settings: {
          failureThreshold: fields.integer("failure_threshold", COUNT),
          cooldownMs: fields.integer("cooldown_ms", COUNT),
          successStatuses: fields.integers("success_statuses", STATUS),
          failureStatuses: fields.integers("failure_statuses", STATUS),
          trialLimit: fields.integerOr(1, "trial_limit", COUNT),
          trialSuccesses: fields.integerOr(1, "trial_successes", COUNT),
        },
      };
    case "call":
      return {
        op,
        target: fields.name("target"),
        call: fields.name("call"),
        at: fields.integer("at", INSTANT),
      };
    case "result":
      return {
        op,
        target: fields.name("target"),
        call: fields.name("call"),
        at: fields.integer("at", INSTANT),
        status: fields.integer("status", STATUS),
      };
    case "state":
      return { op, target: fields.name("target"), at: fields.integer("at", INSTANT) };
    default:
      throw new Refused("unknown_operation");
  }
}
