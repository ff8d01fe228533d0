// From a line to a request that has every field in its type and range.

import { Refused } from "./refusal.js";

const LARGEST = 1_000_000_000_000;

const name = {
  hasType: (value) => typeof value === "string",
  inRange: (value) => value !== "",
};

const integer = (least, most) => ({
  hasType: (value) => Number.isInteger(value),
  inRange: (value) => least <= value && value <= most,
});

const listOf = (element) => ({
  hasType: (value) => Array.isArray(value) && value.every(element.hasType),
  inRange: (value) => value.every(element.inRange),
});

const count = integer(1, LARGEST);
const instant = integer(0, LARGEST);
const status = integer(100, 599);

const OPERATIONS = new Map([
  [
    "configure",
    {
      fields: {
        target: name,
        failure_threshold: count,
        cooldown_ms: count,
        success_statuses: listOf(status),
        failure_statuses: listOf(status),
        trial_limit: count,
        trial_successes: count,
      },
      defaults: { trial_limit: 1, trial_successes: 1 },
    },
  ],
  ["call", { fields: { target: name, call: name, at: instant } }],
  ["result", { fields: { target: name, call: name, at: instant, status } }],
  ["state", { fields: { target: name, at: instant } }],
]);

/** Returns the request on a line, or throws Refused. */
export function parse(line) {
  const values = parseObject(line);
  const { fields, defaults } = operationOf(values);
  const request = { ...defaults, ...values };
  const kinds = Object.entries(fields);
  if (!kinds.every(([field]) => Object.hasOwn(request, field))) {
    throw new Refused("missing_field");
  }
  if (!kinds.every(([field, kind]) => kind.hasType(request[field]))) {
    throw new Refused("wrong_type");
  }
  if (!kinds.every(([field, kind]) => kind.inRange(request[field]))) {
    throw new Refused("out_of_range");
  }
  return request;
}

function parseObject(line) {
  let value;
  try {
    value = JSON.parse(line);
  } catch {
    throw new Refused("invalid_json");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Refused("not_an_object");
  }
  return value;
}

function operationOf(values) {
  if (!Object.hasOwn(values, "op")) {
    throw new Refused("missing_field");
  }
  if (typeof values.op !== "string") {
    throw new Refused("wrong_type");
  }
  const operation = OPERATIONS.get(values.op);
  if (operation === undefined) {
    throw new Refused("unknown_operation");
  }
  return operation;
}
