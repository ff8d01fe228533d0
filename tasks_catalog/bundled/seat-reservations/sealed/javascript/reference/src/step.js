// Takes a line apart into a step.

import { Refused } from "./refusal.js";

const LAYOUTS = new Map([
  ["venue", ["venue", "limit", "rows"]],
  ["begin", ["at", "client", "venue"]],
  ["read", ["at", "client", "seats"]],
  ["hold", ["at", "client", "until", "wish"]],
  ["extend", ["at", "client", "until", "seats"]],
  ["release", ["at", "client", "seats"]],
  ["confirm", ["at", "client", "ticket", "seats"]],
  ["cancel", ["at", "client"]],
  ["wait", ["at", "client", "lasting", "wish"]],
]);
const REPEATED = new Set(["rows", "seats", "wish"]);

const LONGEST_NAME = 12;
const LATEST = 1_000_000_000_000;
const LARGEST_LIMIT = 99;

const NUMBER = /^(?:0|[1-9][0-9]{0,12})$/;
const ROW = /^([A-Z]{1,2}):([1-9][0-9]?)$/;
const SEAT = /^[A-Z]{1,2}[1-9][0-9]?$/;
const TOGETHER = /^\+([1-9][0-9]?)$/;

/** The fields of one line; those that its operation lacks are empty. */
export class Step {
  at = 0;
  client = "";
  venue = "";
  ticket = "";
  limit = 0;
  until = 0;
  lasting = 0;
  rows = [];
  seats = [];
  together = 0;

  constructor(operation) {
    this.operation = operation;
  }

  /** How many seats are asked for. */
  get wished() {
    return this.together || this.seats.length;
  }
}

/** The step of a well-formed line; throws Refused for any other. */
export function parse(line) {
  if (line === "") {
    throw new Refused("empty_line");
  }
  const [operation, ...fields] = line.split(" ");
  const layout = LAYOUTS.get(operation);
  if (layout === undefined) {
    throw new Refused("unknown_step");
  }
  const last = layout.length - 1;
  const more = fields.length - layout.length;
  if (more < 0 || (more > 0 && !REPEATED.has(layout[last]))) {
    throw new Refused("wrong_fields");
  }
  const step = new Step(operation);
  fields.forEach((text, position) => {
    let name = layout[Math.min(position, last)];
    if (name === "wish" && (more > 0 || !text.startsWith("+"))) {
      name = "seats";
    }
    take(step, name, text);
  });
  refuseDuplicates(step.rows.map(({ row }) => row));
  refuseDuplicates(step.seats);
  return step;
}

function take(step, name, text) {
  switch (name) {
    case "at":
    case "until":
      step[name] = readNumber(text, 0, LATEST);
      break;
    case "lasting":
      step.lasting = readNumber(text, 1, LATEST);
      break;
    case "limit":
      step.limit = readNumber(text, 1, LARGEST_LIMIT);
      break;
    case "rows": {
      const [, row, count] = matched(ROW, text, "bad_row");
      step.rows.push({ row, count: Number(count) });
      break;
    }
    case "seats":
      step.seats.push(matched(SEAT, text, "bad_seat")[0]);
      break;
    case "wish":
      step.together = Number(matched(TOGETHER, text, "bad_seat")[1]);
      break;
    default:
      step[name] = readName(text);
  }
}

function readNumber(text, least, most) {
  const number = Number(matched(NUMBER, text, "bad_number")[0]);
  if (number < least || number > most) {
    throw new Refused("bad_number");
  }
  return number;
}

function readName(text) {
  const length = Array.from(text).length;
  if (length < 1 || length > LONGEST_NAME) {
    throw new Refused("bad_name");
  }
  return text;
}

function matched(pattern, text, kind) {
  const match = pattern.exec(text);
  if (match === null) {
    throw new Refused(kind);
  }
  return match;
}

function refuseDuplicates(names) {
  names.forEach((name, position) => {
    if (names.indexOf(name) < position) {
      throw new Refused("duplicate", name);
    }
  });
}
