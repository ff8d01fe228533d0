//! Integers such as -1_000 and 0xff.

use crate::words::{wrong, WrongWord};

const LARGEST: i64 = 9_007_199_254_740_991;

pub fn read_integer(word: &str) -> Result<i64, WrongWord> {
    let negative = word.starts_with('-');
    let mut position = if negative { 1 } else { 0 };
    let mut base = 10;
    if word[position..].starts_with("0x") {
        base = 16;
        position += 2;
    } else if word[position..].starts_with('0') && word.len() > position + 1 {
        return wrong("bad-number", position + 1);
    }
    let mut number = 0;
    let mut digit_must_follow = true;
    for character in word[position..].chars() {
        if let Some(digit) = character.to_digit(base) {
            if number <= LARGEST {
                number = number * i64::from(base) + i64::from(digit);
            }
            digit_must_follow = false;
        } else if character == '_' && !digit_must_follow {
            digit_must_follow = true;
        } else {
            return wrong("bad-number", position);
        }
        position += 1;
    }
    if digit_must_follow {
        return wrong("bad-number", position);
    }
    if number > LARGEST {
        return wrong("out-of-range", 0);
    }
    Ok(if negative { -number } else { number })
}
