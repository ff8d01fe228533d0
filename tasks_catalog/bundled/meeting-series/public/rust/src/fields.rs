//! From words to values.

use crate::dates::{day_number, month_length, MINUTES_PER_DAY};

const WEEKDAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const FIRST_YEAR: i64 = 1900;
const LAST_YEAR: i64 = 2199;

/// A command that cannot be carried out.
pub struct BadCommand;

pub fn expect(condition: bool) -> Result<(), BadCommand> {
    if condition {
        Ok(())
    } else {
        Err(BadCommand)
    }
}

pub fn number(word: &str) -> Result<i64, BadCommand> {
    expect(!word.is_empty() && word.len() <= 9 && word.bytes().all(|b| b.is_ascii_digit()))?;
    let value = digits(word);
    expect(value > 0)?;
    Ok(value)
}

pub fn date(word: &str) -> Result<i64, BadCommand> {
    expect(fits(word, "####-##-##"))?;
    let (year, month, day) = (digits(&word[..4]), digits(&word[5..7]), digits(&word[8..]));
    expect((FIRST_YEAR..=LAST_YEAR).contains(&year) && (1..=12).contains(&month))?;
    expect((1..=month_length(year, month)).contains(&day))?;
    Ok(day_number(year, month, day))
}

pub fn local(word: &str) -> Result<i64, BadCommand> {
    expect(fits(word, "####-##-##T##:##"))?;
    let (hours, minutes) = (digits(&word[11..13]), digits(&word[14..]));
    Ok(date(&word[..10])? * MINUTES_PER_DAY + hours * 60 + minutes)
}

pub fn instant(word: &str) -> Result<i64, BadCommand> {
    local(word.strip_suffix('Z').ok_or(BadCommand)?)
}

pub fn offset(word: &str) -> Result<i64, BadCommand> {
    expect(fits(word, "+##:##") || fits(word, "-##:##"))?;
    let size = digits(&word[1..3]) * 60 + digits(&word[4..]);
    Ok(if word.starts_with('-') { -size } else { size })
}

pub fn weekdays(word: &str) -> Result<Vec<i64>, BadCommand> {
    word.split(',')
        .map(|name| WEEKDAYS.iter().position(|known| *known == name))
        .map(|number| number.map(|n| n as i64).ok_or(BadCommand))
        .collect()
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
