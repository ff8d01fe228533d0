//! The fields of one request, each read in its type and range.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use crate::json::Json;
use crate::refusal::Refusal;

const LARGEST: i64 = 1_000_000_000_000;

pub const COUNT: RangeInclusive<i64> = 1..=LARGEST;
pub const INSTANT: RangeInclusive<i64> = 0..=LARGEST;
pub const STATUS: RangeInclusive<i64> = 100..=599;

/// Reads fields by name. What is wrong is collected while reading, so that `verify` can report
/// the gravest of all fields: one that is absent before one of the wrong type before one out of
/// range.
pub struct Fields<'a> {
    object: &'a Json,
    absent: bool,
    mistyped: bool,
    out_of_range: bool,
}

impl<'a> Fields<'a> {
    pub fn of(object: &'a Json) -> Fields<'a> {
        Fields { object, absent: false, mistyped: false, out_of_range: false }
    }

    pub fn verify(&self) -> Result<(), Refusal> {
        if self.absent {
            Err(Refusal::MissingField)
        } else if self.mistyped {
            Err(Refusal::WrongType)
        } else if self.out_of_range {
            Err(Refusal::OutOfRange)
        } else {
            Ok(())
        }
    }

    pub fn name(&mut self, field: &str) -> String {
        match self.present(field) {
            Json::Text(text) => {
                self.out_of_range |= text.is_empty();
                text.clone()
            }
            _ => {
                self.mistyped = true;
                String::new()
            }
        }
    }

    pub fn integer(&mut self, field: &str, allowed: RangeInclusive<i64>) -> i64 {
        let value = self.present(field);
        self.whole(value, &allowed)
    }

    pub fn integer_or(&mut self, otherwise: i64, field: &str, allowed: RangeInclusive<i64>) -> i64 {
        match self.object.get(field) {
            Some(value) => self.whole(value, &allowed),
            None => otherwise,
        }
    }

    pub fn integers(&mut self, field: &str, allowed: RangeInclusive<i64>) -> HashSet<i64> {
        match self.present(field) {
            Json::List(elements) => elements.iter().map(|element| self.whole(element, &allowed)).collect(),
            _ => {
                self.mistyped = true;
                HashSet::new()
            }
        }
    }

    fn present(&mut self, field: &str) -> &'a Json {
        let value = self.object.get(field);
        self.absent |= value.is_none();
        value.unwrap_or(&Json::Null)
    }

    fn whole(&mut self, value: &Json, allowed: &RangeInclusive<i64>) -> i64 {
        let number = match value {
            Json::Number(number) if number.trunc() == *number => *number,
            _ => {
                self.mistyped = true;
                return 0;
            }
        };
        // The cast saturates, so that a number beyond i64 stays out of range.
        let whole = number as i64;
        self.out_of_range |= !allowed.contains(&whole);
        whole
    }
}
