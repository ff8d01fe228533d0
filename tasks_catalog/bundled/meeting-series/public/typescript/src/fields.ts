// From words to values.

import { MINUTES_PER_DAY, dayNumber, monthLength } from "./dates";

const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const FIRST_YEAR = 1900;
const LAST_YEAR = 2199;

/** A command that cannot be carried out. */
export class BadCommand extends Error {}

export function expect(condition: boolean): asserts condition {
  if (!condition) {
    throw new BadCommand();
  }
}

export function number(word: string): number {
  expect(/^[0-9]{1,9}$/.test(word) && Number(word) > 0);
  return Number(word);
}

export function date(word: string): number {
  const match = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(word);
  expect(match !== null);
  const [year = 0, month = 0, day = 0] = match.slice(1).map(Number);
  expect(year >= FIRST_YEAR && year <= LAST_YEAR && month >= 1 && month <= 12);
  expect(day >= 1 && day <= monthLength(year, month));
  return dayNumber(year, month, day);
}

export function local(word: string): number {
  const match = /^(.{10})T([0-9]{2}):([0-9]{2})$/.exec(word);
  expect(match !== null);
  const [, day = "", hours, minutes] = match;
  return date(day) * MINUTES_PER_DAY + Number(hours) * 60 + Number(minutes);
}

export function instant(word: string): number {
  expect(word.endsWith("Z"));
  return local(word.slice(0, -1));
}

export function offset(word: string): number {
  const match = /^([+-])([0-9]{2}):([0-9]{2})$/.exec(word);
  expect(match !== null);
  const size = Number(match[2]) * 60 + Number(match[3]);
  return match[1] === "-" ? -size : size;
}

export function weekdays(word: string): ReadonlySet<number> {
  const numbers = word.split(",").map((name) => WEEKDAYS.indexOf(name));
  expect(!numbers.includes(-1));
  return new Set(numbers);
}
