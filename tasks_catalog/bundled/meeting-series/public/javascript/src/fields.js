// From words to values.

import { MINUTES_PER_DAY, dayNumber, monthLength } from "./dates.js";

const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const FIRST_YEAR = 1900;
const LAST_YEAR = 2199;

/** A command that cannot be carried out. */
export class BadCommand extends Error {}

export function expect(condition) {
  if (!condition) {
    throw new BadCommand();
  }
}

export function number(word) {
  expect(/^[0-9]{1,9}$/.test(word) && Number(word) > 0);
  return Number(word);
}

export function date(word) {
  const match = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(word);
  expect(match);
  const [year, month, day] = match.slice(1).map(Number);
  expect(year >= FIRST_YEAR && year <= LAST_YEAR && month >= 1 && month <= 12);
  expect(day >= 1 && day <= monthLength(year, month));
  return dayNumber(year, month, day);
}

export function local(word) {
  const match = /^(.{10})T([0-9]{2}):([0-9]{2})$/.exec(word);
  expect(match);
  return date(match[1]) * MINUTES_PER_DAY + Number(match[2]) * 60 + Number(match[3]);
}

export function instant(word) {
  expect(word.endsWith("Z"));
  return local(word.slice(0, -1));
}

export function offset(word) {
  const match = /^([+-])([0-9]{2}):([0-9]{2})$/.exec(word);
  expect(match);
  const size = Number(match[2]) * 60 + Number(match[3]);
  return match[1] === "-" ? -size : size;
}

export function weekdays(word) {
  const numbers = word.split(",").map((name) => WEEKDAYS.indexOf(name));
  expect(!numbers.includes(-1));
  return new Set(numbers);
}
