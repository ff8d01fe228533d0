// Carries out commands.

import { type Clash, clashes } from "./clash";
import { instantText, minuteText } from "./dates";
import { Fields } from "./fields";
import { Refused } from "./refusal";
import {
  type End,
  LAST_DAY,
  LAST_OF_MONTH,
  type Rule,
  daily,
  monthlyDay,
  monthlyWeekday,
  originals,
  weekly,
} from "./rule";
import { type Occurrence, Series } from "./series";
import { Zone } from "./zone";

const MOST_MINUTES = 10080;
const MOST_INTERVAL = 1000;
const MOST_OCCURRENCES = 10000;
const TRANSITION_GAP = 48 * 60;

/** Keeps zones and series; answers one command after the other. */
export class Planner {
  readonly #zones = new Map<string, Zone>();
  readonly #series = new Map<string, Series>();
  readonly #commands = new Map<string, (words: string[]) => string[]>([
    ["zone", (words) => this.#zone(words)],
    ["meeting", (words) => this.#meeting(words)],
    ["skip", (words) => this.#skip(words)],
    ["move", (words) => this.#move(words)],
    ["restore", (words) => this.#restore(words)],
    ["list", (words) => this.#list(words)],
    ["conflicts", (words) => this.#conflicts(words)],
  ]);

  /** Returns the answer lines to a command. */
  answer(line: string): string[] {
    const [command = "", ...words] = line.split(" ");
    try {
      const carryOut = this.#commands.get(command);
      if (!carryOut) {
        throw new Refused("unknown_command");
      }
      return carryOut(words);
    } catch (error) {
      if (error instanceof Refused) {
        return [`refused ${error.kind}`];
      }
      throw error;
    }
  }

  #zone(words: string[]): string[] {
    expect(words.length >= 2);
    const [nameWord = "", offsetWord = "", ...transitionWords] = words;
    const fields = new Fields();
    const name = fields.name(nameWord);
    const offset = fields.offset(offsetWord);
    const transitions = transitionWords.map((word) => fields.transition(word));
    fields.settle();
    let earliest = 0;
    for (const { at } of transitions) {
      if (at < earliest) {
        throw new Refused("transition_order");
      }
      earliest = at + TRANSITION_GAP;
    }
    if (this.#zones.has(name)) {
      throw new Refused("zone_exists");
    }
    this.#zones.set(name, new Zone(offset, transitions));
    return [`zone ${name} ${transitions.length}`];
  }

  #meeting(words: string[]): string[] {
    expect(words.length >= 8);
    const [nameWord = "", zoneWord = "", startWord = "", minutesWord = ""] = words;
    const fields = new Fields();
    const name = fields.name(nameWord);
    const zoneName = fields.name(zoneWord);
    const start = fields.local(startWord);
    const minutes = fields.number(minutesWord, MOST_MINUTES);
    const rule = readRule(fields, words.slice(4, -2));
    const end = readEnd(fields, words.slice(-2));
    fields.settle();
    if (this.#series.has(name)) {
      throw new Refused("series_exists");
    }
    const zone = this.#zones.get(zoneName);
    if (!zone) {
      throw new Refused("unknown_zone");
    }
    const found = originals(start, rule, end);
    const [first, last] = [found.at(0), found.at(-1)];
    if (first === undefined || last === undefined) {
      throw new Refused("no_occurrence");
    }
    this.#series.set(name, new Series(name, zone, minutes, found));
    return [`meeting ${name} ${found.length} ${minuteText(first)} ${minuteText(last)}`];
  }

  #skip(words: string[]): string[] {
    expect(words.length === 2);
    const [nameWord = "", originalWord = ""] = words;
    const fields = new Fields();
    const name = fields.name(nameWord);
    const original = fields.local(originalWord);
    fields.settle();
    this.#known(name).skip(original);
    return [`skipped ${name} ${originalWord}`];
  }

  #move(words: string[]): string[] {
    expect(words.length === 3 || words.length === 4);
    const [nameWord = "", originalWord = "", localWord = "", minutesWord] = words;
    const fields = new Fields();
    const name = fields.name(nameWord);
    const original = fields.local(originalWord);
    const local = fields.local(localWord);
    const minutes = minutesWord === undefined ? null : fields.number(minutesWord, MOST_MINUTES);
    fields.settle();
    const series = this.#known(name);
    series.move(original, local, minutes);
    return [`moved ${name} ${originalWord} ${instantText(series.occurrence(original).start)}`];
  }

  #restore(words: string[]): string[] {
    expect(words.length === 2);
    const [nameWord = "", originalWord = ""] = words;
    const fields = new Fields();
    const name = fields.name(nameWord);
    const original = fields.local(originalWord);
    fields.settle();
    const series = this.#known(name);
    series.restore(original);
    return [`restored ${name} ${originalWord} ${instantText(series.occurrence(original).start)}`];
  }

  #list(words: string[]): string[] {
    expect(words.length >= 2);
    const [startWord = "", endWord = "", ...nameWords] = words;
    const fields = new Fields();
    const start = fields.instant(startWord);
    const end = fields.instant(endWord);
    const names = nameWords.map((word) => fields.name(word));
    fields.settle();
    checkWindow(start, end);
    const chosen = [...new Set(names)].map((name) => this.#known(name));
    const searched = chosen.length > 0 ? chosen : [...this.#series.values()];
    const found = searched.flatMap((series) => series.overlapping(start, end)).sort(inListOrder);
    return [`list ${found.length}`, ...found.map(occurrenceLine)];
  }

  #conflicts(words: string[]): string[] {
    expect(words.length === 4);
    const [firstWord = "", secondWord = "", startWord = "", endWord = ""] = words;
    const fields = new Fields();
    const names = { first: fields.name(firstWord), second: fields.name(secondWord) };
    const start = fields.instant(startWord);
    const end = fields.instant(endWord);
    fields.settle();
    checkWindow(start, end);
    const first = this.#known(names.first);
    const second = this.#known(names.second);
    if (first === second) {
      throw new Refused("same_series");
    }
    const found = clashes(first, second, start, end);
    return [`conflicts ${found.length}`, ...found.map(clashLine)];
  }

  #known(name: string): Series {
    const series = this.#series.get(name);
    if (!series) {
      throw new Refused("unknown_series");
    }
    return series;
  }
}

function readRule(fields: Fields, words: string[]): Rule {
  const [kind = "", step = "", ...rest] = words;
  const [first = "", second = "", third = ""] = rest;
  const interval = fields.number(step, MOST_INTERVAL);
  if (kind === "daily" && rest.length === 0) {
    return daily(interval);
  }
  if (kind === "weekly" && rest.length === 1) {
    return weekly(interval, fields.weekdays(first));
  }
  if (kind === "monthly" && rest.length === 2 && first === "day") {
    return monthlyDay(interval, fields.number(second, 31));
  }
  if (kind === "monthly" && rest.length === 3 && first === "nth") {
    const ordinal = second === "last" ? LAST_OF_MONTH : fields.number(second, 5);
    return monthlyWeekday(interval, ordinal, fields.weekday(third));
  }
  throw new Refused("wrong_arguments");
}

function readEnd(fields: Fields, [kind = "", value = ""]: string[]): End {
  switch (kind) {
    case "count":
      return { count: fields.number(value, MOST_OCCURRENCES), lastDay: LAST_DAY };
    case "until":
      return { count: Infinity, lastDay: fields.date(value) };
    default:
      throw new Refused("wrong_arguments");
  }
}

function expect(rightNumber: boolean): void {
  if (!rightNumber) {
    throw new Refused("wrong_arguments");
  }
}

function checkWindow(start: number, end: number): void {
  if (start >= end) {
    throw new Refused("empty_window");
  }
}

function inListOrder(a: Occurrence, b: Occurrence): number {
  return (
    a.start - b.start ||
    a.end - b.end ||
    compared(a.series.name, b.series.name) ||
    a.original - b.original
  );
}

function compared(a: string, b: string): number {
  if (a === b) {
    return 0;
  }
  return a < b ? -1 : 1;
}

function occurrenceLine({ series, original, start, end }: Occurrence): string {
  return [
    instantText(start),
    instantText(end),
    series.name,
    minuteText(original),
    minuteText(series.zone.local(start)),
    minuteText(series.zone.local(end)),
  ].join(" ");
}

function clashLine({ begin, finish, first, second }: Clash): string {
  return [instantText(begin), instantText(finish), minuteText(first), minuteText(second)].join(" ");
}
