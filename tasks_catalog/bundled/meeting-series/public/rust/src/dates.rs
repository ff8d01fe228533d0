//! Days and minutes as plain numbers, in the Gregorian calendar.
//!
//! A day is a number: 1 is 0001-01-01, a Monday. A minute is one too: the day times 1440, plus the
//! minutes since midnight.

pub const MINUTES_PER_DAY: i64 = 1440;
const MONTH_LENGTHS: [i64; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

pub fn month_length(year: i64, month: i64) -> i64 {
    if month == 2 && is_leap(year) {
        return 29;
    }
    MONTH_LENGTHS[month as usize - 1]
}

fn days_before_year(year: i64) -> i64 {
    let past = year - 1;
    past * 365 + past / 4 - past / 100 + past / 400
}

pub fn day_number(year: i64, month: i64, day: i64) -> i64 {
    days_before_year(year) + (1..month).map(|m| month_length(year, m)).sum::<i64>() + day
}

/// Returns the year, the month and the day of the month.
pub fn civil(day: i64) -> (i64, i64, i64) {
    let mut year = (day - 1) / 365 + 1;
    while days_before_year(year) >= day {
        year -= 1;
    }
    let mut rest = day - days_before_year(year);
    let mut month = 1;
    while rest > month_length(year, month) {
        rest -= month_length(year, month);
        month += 1;
    }
    (year, month, rest)
}

/// Returns 0 for a Monday to 6 for a Sunday.
pub fn weekday(day: i64) -> i64 {
    (day - 1) % 7
}

pub fn minute_text(minute: i64) -> String {
    let (year, month, day) = civil(minute / MINUTES_PER_DAY);
    let clock = minute % MINUTES_PER_DAY;
    format!("{:04}-{:02}-{:02}T{:02}:{:02}", year, month, day, clock / 60, clock % 60)
}

pub fn instant_text(instant: i64) -> String {
    minute_text(instant) + "Z"
}
