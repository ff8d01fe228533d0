//! The values that are written as one word without quotes.

use crate::durations::read_duration;

const LONGEST_INTEGER: usize = 15;

/// What is wrong with a value. `offset` is its place in the word, from 0: before it stand ASCII characters only.
pub struct WrongWord {
    pub kind: &'static str,
    pub offset: usize,
}

pub fn wrong<T>(kind: &'static str, offset: usize) -> Result<T, WrongWord> {
    Err(WrongWord { kind, offset })
}

/// Returns the value as it is printed.
pub fn read_word(word: &str) -> Result<String, WrongWord> {
    if word == "true" || word == "false" {
        return Ok(word.to_string());
    }
    if !word.starts_with(|first: char| first.is_ascii_digit()) {
        return wrong("syntax", 0);
    }
    if word.contains(&['d', 'h', 'm', 's'][..]) {
        return Ok(format!("{}ms", read_duration(word)?));
    }
    if word.len() > LONGEST_INTEGER || !word.bytes().all(|byte| byte.is_ascii_digit()) {
        return wrong("bad-number", 0);
    }
    Ok(word.to_string())
}
