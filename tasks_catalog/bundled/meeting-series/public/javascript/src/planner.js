// Carries out commands.

import { instantText, minuteText } from "./dates.js";
import { BadCommand, date, expect, instant, local, number, offset, weekdays } from "./fields.js";
import { LAST_DAY, daily, monthlyDay, originals, weekly } from "./rule.js";
import { Series } from "./series.js";

/** Keeps zones and series; answers one command after the other. */
export class Planner {
  #offsets = new Map();
  #series = new Map();
  #commands = new Map([
    ["zone", (words) => this.#zone(words)],
    ["meeting", (words) => this.#meeting(words)],
    ["list", (words) => this.#list(words)],
  ]);

  /** Returns the answer lines to a command. */
  answer(line) {
    const [command, ...words] = line.split(" ");
    try {
      expect(this.#commands.has(command));
      return this.#commands.get(command)(words);
    } catch (error) {
      if (error instanceof BadCommand) {
        return ["refused bad_command"];
      }
      throw error;
    }
  }

  #zone(words) {
    expect(words.length >= 2);
    const name = words[0];
    this.#offsets.set(name, offset(words[1]));
    return [`zone ${name} ${words.length - 2}`];
  }

  #meeting(words) {
    expect(words.length >= 8);
    const [name, zone] = words;
    expect(this.#offsets.has(zone));
    const start = local(words[2]);
    const minutes = number(words[3]);
    const found = originals(start, readRule(words.slice(4, -2)), readEnd(...words.slice(-2)));
    expect(found.length > 0);
    this.#series.set(name, new Series(name, this.#offsets.get(zone), minutes, found));
    return [`meeting ${name} ${found.length} ${minuteText(found[0])} ${minuteText(found.at(-1))}`];
  }

  #list(words) {
    expect(words.length >= 2);
    const start = instant(words[0]);
    const end = instant(words[1]);
    const names = words.slice(2);
    expect(names.every((name) => this.#series.has(name)));
    const chosen = [...new Set(names)].map((name) => this.#series.get(name));
    const searched = chosen.length > 0 ? chosen : [...this.#series.values()];
    const found = searched.flatMap((series) => series.overlapping(start, end)).sort(inListOrder);
    return [`list ${found.length}`, ...found.map(occurrenceLine)];
  }
}

function readRule([kind, step, ...rest]) {
  const interval = number(step);
  if (kind === "daily" && rest.length === 0) {
    return daily(interval);
  }
  if (kind === "weekly" && rest.length === 1) {
    return weekly(interval, weekdays(rest[0]));
  }
  if (kind === "monthly" && rest.length === 2 && rest[0] === "day") {
    return monthlyDay(interval, number(rest[1]));
  }
  throw new BadCommand();
}

function readEnd(kind, value) {
  switch (kind) {
    case "count":
      return { count: number(value), day: LAST_DAY };
    case "until":
      return { count: Infinity, day: date(value) };
    default:
      throw new BadCommand();
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
    minuteText(start + series.offset),
    minuteText(end + series.offset),
  ].join(" ");
}
