// Carries out commands.

import { instantText, minuteText } from "./dates";
import { BadCommand, date, expect, instant, local, number, offset, weekdays } from "./fields";
import { type End, LAST_DAY, type Rule, daily, monthlyDay, originals, weekly } from "./rule";
import { type Occurrence, Series } from "./series";

/** Keeps zones and series; answers one command after the other. */
export class Planner {
  readonly #offsets = new Map<string, number>();
  readonly #series = new Map<string, Series>();
  readonly #commands = new Map<string, (words: string[]) => string[]>([
    ["zone", (words) => this.#zone(words)],
    ["meeting", (words) => this.#meeting(words)],
    ["list", (words) => this.#list(words)],
  ]);

  /** Returns the answer lines to a command. */
  answer(line: string): string[] {
    const [command = "", ...words] = line.split(" ");
    try {
      const carryOut = this.#commands.get(command);
      expect(carryOut !== undefined);
      return carryOut(words);
    } catch (error) {
      if (error instanceof BadCommand) {
        return ["refused bad_command"];
      }
      throw error;
    }
  }

  #zone(words: string[]): string[] {
    expect(words.length >= 2);
    const [name = "", offsetWord = ""] = words;
    this.#offsets.set(name, offset(offsetWord));
    return [`zone ${name} ${words.length - 2}`];
  }

  #meeting(words: string[]): string[] {
    expect(words.length >= 8);
    const [name = "", zone = "", startWord = "", minutesWord = ""] = words;
    const zoneOffset = this.#offsets.get(zone);
    expect(zoneOffset !== undefined);
    const start = local(startWord);
    const minutes = number(minutesWord);
    const found = originals(start, readRule(words.slice(4, -2)), readEnd(words.slice(-2)));
    const [first, last] = [found.at(0), found.at(-1)];
    expect(first !== undefined && last !== undefined);
    this.#series.set(name, new Series(name, zoneOffset, minutes, found));
    return [`meeting ${name} ${found.length} ${minuteText(first)} ${minuteText(last)}`];
  }

  #list(words: string[]): string[] {
    expect(words.length >= 2);
    const [startWord = "", endWord = "", ...names] = words;
    const start = instant(startWord);
    const end = instant(endWord);
    const chosen = [...new Set(names)].map((name) => this.#known(name));
    const searched = chosen.length > 0 ? chosen : [...this.#series.values()];
    const found = searched.flatMap((series) => series.overlapping(start, end)).sort(inListOrder);
    return [`list ${found.length}`, ...found.map(occurrenceLine)];
  }

  #known(name: string): Series {
    const series = this.#series.get(name);
    expect(series !== undefined);
    return series;
  }
}

function readRule([kind = "", step = "", ...rest]: string[]): Rule {
  const [first = "", second = ""] = rest;
  const interval = number(step);
  if (kind === "daily" && rest.length === 0) {
    return daily(interval);
  }
  if (kind === "weekly" && rest.length === 1) {
    return weekly(interval, weekdays(first));
  }
  if (kind === "monthly" && rest.length === 2 && first === "day") {
    return monthlyDay(interval, number(second));
  }
  throw new BadCommand();
}

function readEnd([kind = "", value = ""]: string[]): End {
  switch (kind) {
    case "count":
      return { count: number(value), day: LAST_DAY };
    case "until":
      return { count: Infinity, day: date(value) };
    default:
      throw new BadCommand();
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
    minuteText(start + series.offset),
    minuteText(end + series.offset),
  ].join(" ");
}
