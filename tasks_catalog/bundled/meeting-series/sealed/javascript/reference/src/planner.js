// Carries out commands.

import { clashes } from "./clash.js";
import { instantText, minuteText } from "./dates.js";
import { Fields } from "./fields.js";
import { Refused } from "./refusal.js";
import {
  LAST_DAY,
  LAST_OF_MONTH,
  daily,
  monthlyDay,
  monthlyWeekday,
  originals,
  weekly,
} from "./rule.js";
import { Series } from "./series.js";
import { Zone } from "./zone.js";

const MOST_MINUTES = 10080;
const MOST_INTERVAL = 1000;
const MOST_OCCURRENCES = 10000;
const TRANSITION_GAP = 48 * 60;

/** Keeps zones and series; answers one command after the other. */
export class Planner {
  #zones = new Map();
  #series = new Map();
  #commands = new Map([
    ["zone", (words) => this.#zone(words)],
    ["meeting", (words) => this.#meeting(words)],
    ["skip", (words) => this.#skip(words)],
    ["move", (words) => this.#move(words)],
    ["restore", (words) => this.#restore(words)],
    ["list", (words) => this.#list(words)],
    ["conflicts", (words) => this.#conflicts(words)],
  ]);

  /** Returns the answer lines to a command. */
  answer(line) {
    const [command, ...words] = line.split(" ");
    try {
      if (!this.#commands.has(command)) {
        throw new Refused("unknown_command");
      }
      return this.#commands.get(command)(words);
    } catch (error) {
      if (error instanceof Refused) {
        return [`refused ${error.kind}`];
      }
      throw error;
    }
  }

  #zone(words) {
    expect(words.length >= 2);
    const fields = new Fields();
    const name = fields.name(words[0]);
    const offset = fields.offset(words[1]);
    const transitions = words.slice(2).map((word) => fields.transition(word));
    fields.settle();
    for (let i = 1; i < transitions.length; i += 1) {
      if (transitions[i].at < transitions[i - 1].at + TRANSITION_GAP) {
        throw new Refused("transition_order");
      }
    }
    if (this.#zones.has(name)) {
      throw new Refused("zone_exists");
    }
    this.#zones.set(name, new Zone(offset, transitions));
    return [`zone ${name} ${transitions.length}`];
  }

  #meeting(words) {
    expect(words.length >= 8);
    const fields = new Fields();
    const name = fields.name(words[0]);
    const zone = fields.name(words[1]);
    const start = fields.local(words[2]);
    const minutes = fields.number(words[3], MOST_MINUTES);
    const rule = readRule(fields, words.slice(4, -2));
    const end = readEnd(fields, ...words.slice(-2));
    fields.settle();
    if (this.#series.has(name)) {
      throw new Refused("series_exists");
    }
    if (!this.#zones.has(zone)) {
      throw new Refused("unknown_zone");
    }
    const found = originals(start, rule, end);
    if (found.length === 0) {
      throw new Refused("no_occurrence");
    }
    this.#series.set(name, new Series(name, this.#zones.get(zone), minutes, found));
    return [`meeting ${name} ${found.length} ${minuteText(found[0])} ${minuteText(found.at(-1))}`];
  }

  #skip(words) {
    expect(words.length === 2);
    const fields = new Fields();
    const name = fields.name(words[0]);
    const original = fields.local(words[1]);
    fields.settle();
    this.#known(name).skip(original);
    return [`skipped ${name} ${words[1]}`];
  }

  #move(words) {
    expect(words.length === 3 || words.length === 4);
    const fields = new Fields();
    const name = fields.name(words[0]);
    const original = fields.local(words[1]);
    const local = fields.local(words[2]);
    const minutes = words.length === 4 ? fields.number(words[3], MOST_MINUTES) : null;
    fields.settle();
    const series = this.#known(name);
    series.move(original, local, minutes);
    return [`moved ${name} ${words[1]} ${instantText(series.occurrence(original).start)}`];
  }

  #restore(words) {
    expect(words.length === 2);
    const fields = new Fields();
    const name = fields.name(words[0]);
    const original = fields.local(words[1]);
    fields.settle();
    const series = this.#known(name);
    series.restore(original);
    return [`restored ${name} ${words[1]} ${instantText(series.occurrence(original).start)}`];
  }

  #list(words) {
    expect(words.length >= 2);
    const fields = new Fields();
    const start = fields.instant(words[0]);
    const end = fields.instant(words[1]);
    const names = words.slice(2).map((word) => fields.name(word));
    fields.settle();
    checkWindow(start, end);
    const chosen = [...new Set(names)].map((name) => this.#known(name));
    const searched = chosen.length > 0 ? chosen : [...this.#series.values()];
    const found = searched.flatMap((series) => series.overlapping(start, end)).sort(inListOrder);
    return [`list ${found.length}`, ...found.map(occurrenceLine)];
  }

  #conflicts(words) {
    expect(words.length === 4);
    const fields = new Fields();
    const names = [fields.name(words[0]), fields.name(words[1])];
    const start = fields.instant(words[2]);
    const end = fields.instant(words[3]);
    fields.settle();
    checkWindow(start, end);
    const [first, second] = names.map((name) => this.#known(name));
    if (first === second) {
      throw new Refused("same_series");
    }
    const found = clashes(first, second, start, end);
    return [`conflicts ${found.length}`, ...found.map(clashLine)];
  }

  #known(name) {
    if (!this.#series.has(name)) {
      throw new Refused("unknown_series");
    }
    return this.#series.get(name);
  }
}

function readRule(fields, words) {
  const [kind, step, ...rest] = words;
  const interval = fields.number(step, MOST_INTERVAL);
  if (kind === "daily" && rest.length === 0) {
    return daily(interval);
  }
  if (kind === "weekly" && rest.length === 1) {
    return weekly(interval, fields.weekdays(rest[0]));
  }
  if (kind === "monthly" && rest.length === 2 && rest[0] === "day") {
    return monthlyDay(interval, fields.number(rest[1], 31));
  }
  if (kind === "monthly" && rest.length === 3 && rest[0] === "nth") {
    const ordinal = rest[1] === "last" ? LAST_OF_MONTH : fields.number(rest[1], 5);
    return monthlyWeekday(interval, ordinal, fields.weekday(rest[2]));
  }
  throw new Refused("wrong_arguments");
}

function readEnd(fields, kind, value) {
  switch (kind) {
    case "count":
      return { count: fields.number(value, MOST_OCCURRENCES), lastDay: LAST_DAY };
    case "until":
      return { count: Infinity, lastDay: fields.date(value) };
    default:
      throw new Refused("wrong_arguments");
  }
}

function expect(rightNumber) {
  if (!rightNumber) {
    throw new Refused("wrong_arguments");
  }
}

function checkWindow(start, end) {
  if (start >= end) {
    throw new Refused("empty_window");
  }
}

function inListOrder(a, b) {
  return (
    a.start - b.start ||
    a.end - b.end ||
    compared(a.series.name, b.series.name) ||
    a.original - b.original
  );
}

function compared(a, b) {
  if (a === b) {
    return 0;
  }
  return a < b ? -1 : 1;
}

function occurrenceLine({ series, original, start, end }) {
  return [
    instantText(start),
    instantText(end),
    series.name,
    minuteText(original),
    minuteText(series.zone.local(start)),
    minuteText(series.zone.local(end)),
  ].join(" ");
}

function clashLine({ begin, finish, first, second }) {
  return [instantText(begin), instantText(finish), minuteText(first), minuteText(second)].join(" ");
}
