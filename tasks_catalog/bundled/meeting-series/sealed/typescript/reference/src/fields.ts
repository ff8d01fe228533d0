// From words to values that have their form and their range.

import { MINUTES_PER_DAY, dayNumber, monthLength } from "./dates";
import { Refused } from "./refusal";
import { type Transition } from "./zone";

const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const FIRST_YEAR = 1900;
const LAST_YEAR = 2199;
const LARGEST_OFFSET = 14 * 60;

/**
 * Reads the words of one command; `settle` tells what was wrong with any of them.
 *
 * A wrong form anywhere goes before a wrong range anywhere, so no word is refused before all are read.
 */
export class Fields {
  #badForm = false;
  #outOfRange = false;

  settle(): void {
    if (this.#badForm) {
      throw new Refused("bad_form");
    }
    if (this.#outOfRange) {
      throw new Refused("out_of_range");
    }
  }

  name(word: string): string {
    this.#form(/^[a-z0-9-]{1,20}$/, word);
    return word;
  }

  number(word: string, most: number): number {
    if (!this.#form(/^(0|[1-9][0-9]*)$/, word)) {
      return 0;
    }
    const value = Number(word);
    this.#range(value >= 1 && value <= most);
    return value;
  }

  date(word: string): number {
    const match = this.#form(/^([0-9]{4})-([0-9]{2})-([0-9]{2})$/, word);
    if (!match) {
      return 0;
    }
    const [year = 0, month = 0, day = 0] = match.map(Number);
    const exists =
      year >= FIRST_YEAR &&
      year <= LAST_YEAR &&
      month >= 1 &&
      month <= 12 &&
      day >= 1 &&
      day <= monthLength(year, month);
    this.#range(exists);
    return exists ? dayNumber(year, month, day) : 0;
  }

  local(word: string): number {
    const match = this.#form(/^(.{10})T([0-9]{2}):([0-9]{2})$/, word);
    if (!match) {
      return 0;
    }
    const [date = "", ...clock] = match;
    const [hours = 0, minutes = 0] = clock.map(Number);
    this.#range(hours <= 23 && minutes <= 59);
    return this.date(date) * MINUTES_PER_DAY + hours * 60 + minutes;
  }

  instant(word: string): number {
    const [local] = this.#form(/^(.*)Z$/, word) ?? [];
    return local === undefined ? 0 : this.local(local);
  }

  offset(word: string): number {
    const match = this.#form(/^([+-])([0-9]{2}):([0-9]{2})$/, word);
    if (!match) {
      return 0;
    }
    const [sign, ...clock] = match;
    const [hours = 0, minutes = 0] = clock.map(Number);
    const size = hours * 60 + minutes;
    this.#range(minutes <= 59 && size <= LARGEST_OFFSET);
    return sign === "-" ? -size : size;
  }

  transition(word: string): Transition {
    const [at = "", offset = ""] = this.#form(/^([^/]*)\/(.*)$/, word) ?? [];
    return { at: this.instant(at), offset: this.offset(offset) };
  }

  weekday(word: string): number {
    const number = WEEKDAYS.indexOf(word);
    if (number < 0) {
      this.#badForm = true;
    }
    return number;
  }

  weekdays(word: string): ReadonlySet<number> {
    return new Set(word.split(",").map((name) => this.weekday(name)));
  }

  /** Returns the groups of the pattern, or null. */
  #form(pattern: RegExp, word: string): string[] | null {
    const match = pattern.exec(word);
    if (!match) {
      this.#badForm = true;
      return null;
    }
    return match.slice(1);
  }

  #range(fits: boolean): void {
    if (!fits) {
      this.#outOfRange = true;
    }
  }
}
