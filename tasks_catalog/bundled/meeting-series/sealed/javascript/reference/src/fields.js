// From words to values that have their form and their range.

import { MINUTES_PER_DAY, dayNumber, monthLength } from "./dates.js";
import { Refused } from "./refusal.js";

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

  settle() {
    if (this.#badForm) {
      throw new Refused("bad_form");
    }
    if (this.#outOfRange) {
      throw new Refused("out_of_range");
    }
  }

  name(word) {
    this.#form(/^[a-z0-9-]{1,20}$/, word);
    return word;
  }

  number(word, most) {
    if (!this.#form(/^(0|[1-9][0-9]*)$/, word)) {
      return 0;
    }
    const value = Number(word);
    this.#range(value >= 1 && value <= most);
    return value;
  }

  date(word) {
    const match = this.#form(/^([0-9]{4})-([0-9]{2})-([0-9]{2})$/, word);
    if (!match) {
      return 0;
    }
    const [year, month, day] = match.slice(1).map(Number);
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

  local(word) {
    const match = this.#form(/^(.{10})T([0-9]{2}):([0-9]{2})$/, word);
    if (!match) {
      return 0;
    }
    const [hours, minutes] = match.slice(2).map(Number);
    this.#range(hours <= 23 && minutes <= 59);
    return this.date(match[1]) * MINUTES_PER_DAY + hours * 60 + minutes;
  }

  instant(word) {
    const match = this.#form(/^(.*)Z$/, word);
    return match ? this.local(match[1]) : 0;
  }

  offset(word) {
    const match = this.#form(/^([+-])([0-9]{2}):([0-9]{2})$/, word);
    if (!match) {
      return 0;
    }
    const [hours, minutes] = match.slice(2).map(Number);
    const size = hours * 60 + minutes;
    this.#range(minutes <= 59 && size <= LARGEST_OFFSET);
    return match[1] === "-" ? -size : size;
  }

  transition(word) {
    const match = this.#form(/^([^/]*)\/(.*)$/, word);
    return match ? { at: this.instant(match[1]), offset: this.offset(match[2]) } : { at: 0, offset: 0 };
  }

  weekday(word) {
    const number = WEEKDAYS.indexOf(word);
    if (number < 0) {
      this.#badForm = true;
    }
    return number;
  }

  weekdays(word) {
    return new Set(word.split(",").map((name) => this.weekday(name)));
  }

  #form(pattern, word) {
    const match = pattern.exec(word);
    if (!match) {
      this.#badForm = true;
    }
    return match;
  }

  #range(fits) {
    if (!fits) {
      this.#outOfRange = true;
    }
  }
}
