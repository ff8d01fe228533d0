// On which days a meeting repeats.

import { MINUTES_PER_DAY, civil, dayNumber, monthLength, weekday } from "./dates.js";

export const LAST_DAY = dayNumber(2199, 12, 31);
export const LAST_OF_MONTH = 0;

// A rule is a function: does a series that starts on the day `first` have an occurrence on `day`?

export function daily(interval) {
  return (day, first) => (day - first) % interval === 0;
}

export function weekly(interval, weekdays) {
  return (day, first) => {
    const monday = first - weekday(first);
    const weeks = Math.floor((day - monday) / 7);
    return weeks % interval === 0 && weekdays.has(weekday(day));
  };
}

export function monthlyDay(interval, dayOfMonth) {
  return (day, first) => monthsBetween(first, day) % interval === 0 && civil(day)[2] === dayOfMonth;
}

/** The ordinal is 1 to 5, or LAST_OF_MONTH. */
export function monthlyWeekday(interval, ordinal, chosen) {
  return (day, first) => {
    if (monthsBetween(first, day) % interval !== 0 || weekday(day) !== chosen) {
      return false;
    }
    const [year, month, dayOfMonth] = civil(day);
    if (ordinal === LAST_OF_MONTH) {
      return dayOfMonth + 7 > monthLength(year, month);
    }
    return Math.floor((dayOfMonth - 1) / 7) + 1 === ordinal;
  };
}

function monthsBetween(first, day) {
  const [firstYear, firstMonth] = civil(first);
  const [year, month] = civil(day);
  return (year - firstYear) * 12 + month - firstMonth;
}

/** Returns the local minutes that the rule yields, in order, up to `end.count` and `end.lastDay`. */
export function originals(start, holds, end) {
  const first = Math.floor(start / MINUTES_PER_DAY);
  const clock = start % MINUTES_PER_DAY;
  const found = [];
  for (let day = first; day <= end.lastDay && found.length < end.count; day += 1) {
    if (holds(day, first)) {
      found.push(day * MINUTES_PER_DAY + clock);
    }
  }
  return found;
}
