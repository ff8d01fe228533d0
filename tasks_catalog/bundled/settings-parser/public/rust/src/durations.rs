//! Durations such as 1h30m.

use crate::words::{wrong, WrongWord};

const UNITS: [(&str, i64); 5] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];
const LONGEST: i64 = 9_007_199_254_740_991;

/// Returns milliseconds.
pub fn read_duration(word: &str) -> Result<i64, WrongWord> {
    let bytes = word.as_bytes();
    let mut total = 0;
    let mut too_long = false;
    let mut next_rank = 0;
    let mut position = 0;
    while position < bytes.len() {
        let mut count = 0;
        let start = position;
        while position < bytes.len() && bytes[position].is_ascii_digit() {
            if count <= LONGEST {
                count = count * 10 + i64::from(bytes[position] - b'0');
            }
            position += 1;
        }
        let rank = match unit_rank(&bytes[position..]) {
            Some(rank) if position > start && rank >= next_rank => rank,
            _ => return wrong("bad-duration", position),
        };
        let (unit, milliseconds) = UNITS[rank];
        if count > (LONGEST - total) / milliseconds {
            too_long = true;
        } else {
            total += count * milliseconds;
        }
        position += unit.len();
        next_rank = rank + 1;
    }
    if too_long {
        return wrong("out-of-range", 0);
    }
    Ok(total)
}

/// Returns the place in UNITS of the unit that the text starts with.
fn unit_rank(text: &[u8]) -> Option<usize> {
    UNITS.iter().rposition(|(unit, _)| text.starts_with(unit.as_bytes()))
}
