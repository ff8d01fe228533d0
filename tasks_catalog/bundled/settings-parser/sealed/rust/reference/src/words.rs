//! The values that are written as one word without quotes.

use crate::durations::read_duration;
use crate::integers::read_integer;

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
    if !word.starts_with(|first: char| first.is_ascii_digit() || first == '-') {
        return wrong("unknown-word", 0);
    }
    let is_hexadecimal = word.starts_with("0x") || word.starts_with("-0x");
    if !is_hexadecimal && word.contains(&['d', 'h', 'm', 's'][..]) {
        return Ok(format!("{}ms", read_duration(word)?));
    }
    Ok(read_integer(word)?.to_string())
}
