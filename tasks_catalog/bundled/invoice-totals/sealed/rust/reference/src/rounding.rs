//! The two ways to round.

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rounding {
    HalfUp,
    HalfEven,
}

impl Rounding {
    pub fn named(word: &str) -> Option<Rounding> {
        match word {
            "half-up" => Some(Rounding::HalfUp),
            "half-even" => Some(Rounding::HalfEven),
            _ => None,
        }
    }

    /// Returns numerator / divisor, its magnitude rounded; `divisor` is greater than zero.
    pub fn divide(self, numerator: i128, divisor: i128) -> i128 {
        let mut quotient = numerator.abs() / divisor;
        let twice = 2 * (numerator.abs() % divisor);
        let tie = twice == divisor;
        if twice > divisor || tie && (self == Rounding::HalfUp || quotient % 2 == 1) {
            quotient += 1;
        }
        numerator.signum() * quotient
    }
}
