//! On which days a meeting repeats.

use crate::dates::{civil, month_length, weekday, MINUTES_PER_DAY};

pub enum Ordinal {
    Number(i64),
    Last,
}

/// The days of a series; each rule begins with its interval.
pub enum Rule {
    Daily(i64),
    Weekly(i64, Vec<i64>),
    MonthlyDay(i64, i64),
    MonthlyWeekday(i64, Ordinal, i64),
}

/// After so many occurrences or after a day, whichever is first.
pub struct End {
    pub count: usize,
    pub last_day: i64,
}

impl Rule {
    /// Tells whether a series that starts on the day `first` has an occurrence on `day`.
    fn holds(&self, day: i64, first: i64) -> bool {
        match self {
            Rule::Daily(interval) => (day - first) % interval == 0,
            Rule::Weekly(interval, weekdays) => {
                let monday = first - weekday(first);
                let weeks = (day - monday) / 7;
                weeks % interval == 0 && weekdays.contains(&weekday(day))
            }
            Rule::MonthlyDay(interval, day_of_month) => {
                months_between(first, day) % interval == 0 && civil(day).2 == *day_of_month
            }
            Rule::MonthlyWeekday(interval, ordinal, chosen) => {
                months_between(first, day) % interval == 0
                    && weekday(day) == *chosen
                    && is_ordinal(day, ordinal)
            }
        }
    }

    /// Returns the local minutes that the rule yields, in order.
    pub fn originals(&self, start: i64, end: &End) -> Vec<i64> {
        let (first, clock) = (start / MINUTES_PER_DAY, start % MINUTES_PER_DAY);
        (first..=end.last_day)
            .filter(|day| self.holds(*day, first))
            .take(end.count)
            .map(|day| day * MINUTES_PER_DAY + clock)
            .collect()
    }
}

fn is_ordinal(day: i64, ordinal: &Ordinal) -> bool {
    let (year, month, day_of_month) = civil(day);
    match ordinal {
        Ordinal::Last => day_of_month + 7 > month_length(year, month),
        Ordinal::Number(number) => (day_of_month - 1) / 7 + 1 == *number,
    }
}

fn months_between(first: i64, day: i64) -> i64 {
    let (first_year, first_month, _) = civil(first);
    let (year, month, _) = civil(day);
    (year - first_year) * 12 + month - first_month
}
