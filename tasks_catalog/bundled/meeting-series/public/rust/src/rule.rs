//! On which days a meeting repeats.

use crate::dates::{civil, month_length, weekday, MINUTES_PER_DAY};

/// The days of a series; each rule begins with its interval.
pub enum Rule {
    Daily(i64),
    Weekly(i64, Vec<i64>),
    MonthlyDay(i64, i64),
}

/// After so many occurrences or before a day, whichever is first.
pub struct End {
    pub count: usize,
    pub day: i64,
}

impl Rule {
    /// Tells whether a series that starts on the day `first` has an occurrence on `day`.
    fn holds(&self, day: i64, first: i64) -> bool {
        match self {
            Rule::Daily(interval) => (day - first) % interval == 0,
            Rule::Weekly(interval, weekdays) => {
                let weeks = (day - first) / 7;
                weeks % interval == 0 && weekdays.contains(&weekday(day))
            }
            Rule::MonthlyDay(interval, chosen) => {
                let (year, month, day_of_month) = civil(day);
                let (first_year, first_month, _) = civil(first);
                let months = (year - first_year) * 12 + month - first_month;
                months % interval == 0 && day_of_month == month_length(year, month).min(*chosen)
            }
        }
    }

    /// Returns the local minutes that the rule yields, in order.
    pub fn originals(&self, start: i64, end: &End) -> Vec<i64> {
        let (first, clock) = (start / MINUTES_PER_DAY, start % MINUTES_PER_DAY);
        (first..end.day)
            .filter(|day| self.holds(*day, first))
            .take(end.count)
            .map(|day| day * MINUTES_PER_DAY + clock)
            .collect()
    }
}
