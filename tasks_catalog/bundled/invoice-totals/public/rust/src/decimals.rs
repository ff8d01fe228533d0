//! Decimal numbers as whole hundredths: how they are read and written.

const LONGEST_WHOLE: usize = 5;

/// Returns the hundredths of the number that a word is.
pub fn parse_hundredths(word: &str) -> Option<i64> {
    let unsigned = word.strip_prefix('-').unwrap_or(word);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    if !is_digits(whole) || whole.len() > LONGEST_WHOLE || !fraction.is_empty() && !is_digits(fraction) {
        return None;
    }
    let padded = format!("{}{}00", whole, fraction);
    let units: i64 = padded[..whole.len() + 2].parse().ok()?;
    Some(if unsigned == word { units } else { -units })
}

/// Returns the whole part of the number that a word is.
pub fn parse_whole(word: &str) -> Option<i64> {
    parse_hundredths(word).map(|units| units / 100)
}

pub fn format_hundredths(units: i64) -> String {
    let sign = if units < 0 { "-" } else { "" };
    format!("{}{}.{:02}", sign, units.abs() / 100, units.abs() % 100)
}

fn is_digits(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}
