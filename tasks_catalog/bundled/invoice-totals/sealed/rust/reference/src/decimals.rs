//! Decimal numbers as whole numbers: how they are read and written.

const LONGEST_WHOLE: usize = 12;
const LONGEST_FRACTION: usize = 6;

/// The number `digits` / 10^`places`, with as many places as were written.
#[derive(Debug, Clone, Copy)]
pub struct Decimal {
    pub digits: i128,
    pub places: u32,
}

impl Decimal {
    /// The number in units of 10^-places; `places` is at least its own.
    pub fn scaled(self, places: u32) -> i128 {
        self.digits * power_of_ten(places - self.places)
    }
}

/// Returns the number that a word is.
pub fn parse_decimal(word: &str) -> Option<Decimal> {
    let unsigned = word.strip_prefix('-').unwrap_or(word);
    let (whole, fraction) = match unsigned.split_once('.') {
        Some((whole, fraction)) if is_digits(fraction, LONGEST_FRACTION) => (whole, fraction),
        Some(_) => return None,
        None => (unsigned, ""),
    };
    if !is_digits(whole, LONGEST_WHOLE) {
        return None;
    }
    let digits: i128 = format!("{}{}", whole, fraction).parse().ok()?;
    let signed = if unsigned == word { digits } else { -digits };
    Some(Decimal { digits: signed, places: fraction.len() as u32 })
}

/// Writes units of 10^-places with exactly that many places.
pub fn format_decimal(units: i128, places: u32) -> String {
    let sign = if units < 0 { "-" } else { "" };
    let places = places as usize;
    let digits = format!("{:0>width$}", units.abs(), width = places + 1);
    if places == 0 {
        return format!("{}{}", sign, digits);
    }
    let (whole, fraction) = digits.split_at(digits.len() - places);
    format!("{}{}.{}", sign, whole, fraction)
}

/// Writes units of 10^-places without needless zeros; `places` is at least 1.
pub fn format_shortest(units: i128, places: u32) -> String {
    format_decimal(units, places).trim_end_matches('0').trim_end_matches('.').to_string()
}

pub fn power_of_ten(exponent: u32) -> i128 {
    10i128.pow(exponent)
}

fn is_digits(word: &str, longest: usize) -> bool {
    (1..=longest).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_digit())
}
