// On which days a meeting repeats.

import { MINUTES_PER_DAY, civil, dayNumber, monthLength, weekday } from "./dates";

export const LAST_DAY = dayNumber(2199, 12, 31);

/** Does a series that starts on the day `first` have an occurrence on `day`? */
export type Rule = (day: number, first: number) => boolean;

/** After so many occurrences or before a day, whichever is first. */
export interface End {
  readonly count: number;
  readonly day: number;
}

export function daily(interval: number): Rule {
  return (day, first) => (day - first) % interval === 0;
}

export function weekly(interval: number, weekdays: ReadonlySet<number>): Rule {
  return (day, first) => {
    const weeks = Math.floor((day - first) / 7);
    return weeks % interval === 0 && weekdays.has(weekday(day));
  };
}

export function monthlyDay(interval: number, chosen: number): Rule {
  return (day, first) => {
    const [year, month, dayOfMonth] = civil(day);
    const [firstYear, firstMonth] = civil(first);
    const months = (year - firstYear) * 12 + month - firstMonth;
    return months % interval === 0 && dayOfMonth === Math.min(chosen, monthLength(year, month));
  };
}

/** Returns the local minutes that the rule yields, in order. */
export function originals(start: number, holds: Rule, end: End): number[] {
  const first = Math.floor(start / MINUTES_PER_DAY);
  const clock = start % MINUTES_PER_DAY;
  const found: number[] = [];
  for (let day = first; day < end.day && found.length < end.count; day += 1) {
    if (holds(day, first)) {
      found.push(day * MINUTES_PER_DAY + clock);
    }
  }
  return found;
}
