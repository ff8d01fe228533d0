//! From words to values that have their form and their range.

use crate::dates::{day_number, month_length, MINUTES_PER_DAY};
use crate::refusal::Refused;
use crate::zone::Transition;

const WEEKDAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const LONGEST_NAME: usize = 20;
const FIRST_YEAR: i64 = 1900;
const LAST_YEAR: i64 = 2199;
const LARGEST_OFFSET: i64 = 14 * 60;

/// Reads the words of one command; `settle` tells what was wrong with any of them.
///
/// A wrong form anywhere goes before a wrong range anywhere, so no word is refused before all are read.
#[derive(Default)]
pub struct Fields {
    bad_form: bool,
    out_of_range: bool,
}

impl Fields {
    pub fn settle(&self) -> Result<(), Refused> {
        if self.bad_form {
            return Err(Refused("bad_form"));
        }
        if self.out_of_range {
            return Err(Refused("out_of_range"));
        }
        Ok(())
    }

    pub fn name(&mut self, word: &str) -> String {
        let fits = word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        if word.is_empty() || word.len() > LONGEST_NAME || !fits {
            self.bad_form = true;
        }
        word.to_string()
    }

    pub fn number(&mut self, word: &str, most: i64) -> i64 {
        let leading_zero = word.len() > 1 && word.starts_with('0');
        if word.is_empty() || leading_zero || !word.bytes().all(|b| b.is_ascii_digit()) {
            self.bad_form = true;
            return 0;
        }
        // What is too long for the type is too large for every range.
        let value = word.parse().unwrap_or(i64::MAX);
        if value < 1 || value > most {
            self.out_of_range = true;
        }
        value
    }

    pub fn date(&mut self, word: &str) -> i64 {
        if !fits(word, "####-##-##") {
            self.bad_form = true;
            return 0;
        }
        let (year, month, day) = (digits(&word[..4]), digits(&word[5..7]), digits(&word[8..]));
        if !(FIRST_YEAR..=LAST_YEAR).contains(&year)
            || !(1..=12).contains(&month)
            || !(1..=month_length(year, month)).contains(&day)
        {
            self.out_of_range = true;
            return 0;
        }
        day_number(year, month, day)
    }

    pub fn local(&mut self, word: &str) -> i64 {
        if !fits(word, "####-##-##T##:##") {
            self.bad_form = true;
            return 0;
        }
        let (hours, minutes) = (digits(&word[11..13]), digits(&word[14..]));
        if hours > 23 || minutes > 59 {
            self.out_of_range = true;
        }
        self.date(&word[..10]) * MINUTES_PER_DAY + hours * 60 + minutes
    }

    pub fn instant(&mut self, word: &str) -> i64 {
        match word.strip_suffix('Z') {
            Some(local) => self.local(local),
            None => {
                self.bad_form = true;
                0
            }
        }
    }

    pub fn offset(&mut self, word: &str) -> i64 {
        if !fits(word, "+##:##") && !fits(word, "-##:##") {
            self.bad_form = true;
            return 0;
        }
        let (hours, minutes) = (digits(&word[1..3]), digits(&word[4..]));
        let size = hours * 60 + minutes;
        if minutes > 59 || size > LARGEST_OFFSET {
            self.out_of_range = true;
        }
        if word.starts_with('-') {
            -size
        } else {
            size
        }
    }

    pub fn transition(&mut self, word: &str) -> Transition {
        let (at, offset) = word.split_once('/').unwrap_or((word, ""));
        Transition { at: self.instant(at), offset: self.offset(offset) }
    }

    pub fn weekday(&mut self, word: &str) -> i64 {
        match WEEKDAYS.iter().position(|name| *name == word) {
            Some(number) => number as i64,
            None => {
                self.bad_form = true;
                0
            }
        }
    }

    pub fn weekdays(&mut self, word: &str) -> Vec<i64> {
        word.split(',').map(|name| self.weekday(name)).collect()
    }
}

/// Tells whether the word is the pattern, with a digit for every #.
fn fits(word: &str, pattern: &str) -> bool {
    word.len() == pattern.len()
        && word.bytes().zip(pattern.bytes()).all(|(w, p)| match p {
            b'#' => w.is_ascii_digit(),
            _ => w == p,
        })
}

fn digits(word: &str) -> i64 {
    word.bytes().fold(0, |value, digit| value * 10 + i64::from(digit - b'0'))
}
