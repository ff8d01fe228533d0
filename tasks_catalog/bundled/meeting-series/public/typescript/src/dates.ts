// Days and minutes as plain numbers, in the Gregorian calendar.
//
// A day is a number: 1 is 0001-01-01, a Monday. A minute is one too: the day times 1440, plus the
// minutes since midnight.

export const MINUTES_PER_DAY = 1440;
const MONTH_LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

export function monthLength(year: number, month: number): number {
  return month === 2 && isLeap(year) ? 29 : (MONTH_LENGTHS[month - 1] ?? 0);
}

function daysBeforeYear(year: number): number {
  const past = year - 1;
  return past * 365 + Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400);
}

export function dayNumber(year: number, month: number, day: number): number {
  let number = daysBeforeYear(year) + day;
  for (let m = 1; m < month; m += 1) {
    number += monthLength(year, m);
  }
  return number;
}

/** Returns the year, the month and the day of the month. */
export function civil(day: number): [year: number, month: number, day: number] {
  let year = Math.floor((day - 1) / 365) + 1;
  while (daysBeforeYear(year) >= day) {
    year -= 1;
  }
  let rest = day - daysBeforeYear(year);
  let month = 1;
  while (rest > monthLength(year, month)) {
    rest -= monthLength(year, month);
    month += 1;
  }
  return [year, month, rest];
}

/** Returns 0 for a Monday to 6 for a Sunday. */
export function weekday(day: number): number {
  return (day - 1) % 7;
}

export function minuteText(minute: number): string {
  const [year, month, day] = civil(Math.floor(minute / MINUTES_PER_DAY));
  const clock = minute % MINUTES_PER_DAY;
  const date = `${padded(year, 4)}-${padded(month, 2)}-${padded(day, 2)}`;
  return `${date}T${padded(Math.floor(clock / 60), 2)}:${padded(clock % 60, 2)}`;
}

export function instantText(instant: number): string {
  return `${minuteText(instant)}Z`;
}

function padded(number: number, width: number): string {
  return String(number).padStart(width, "0");
}
