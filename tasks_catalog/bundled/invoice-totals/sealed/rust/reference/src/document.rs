//! One document: its lines, its rebate and what they come to.

use std::collections::BTreeMap;

use crate::allocation::allocate;
use crate::decimals::{power_of_ten, Decimal};
use crate::refusal::Refused;
use crate::request::{Reduction, FINEST};
use crate::rounding::Rounding;

const LARGEST: i128 = 999_999_999_999_999;
const QUANTITY_PLACES: u32 = 3;
const PRICE_PLACES: u32 = 6;
/// A percentage is in units of 10^-FINEST.
const PERCENT_DIVISOR: i128 = 100 * 10i128.pow(FINEST);

#[derive(Debug, Clone)]
pub struct Currency {
    pub code: String,
    pub digits: u32,
}

/// A line; amounts are smallest units of the currency, the rate is in thousandths.
#[derive(Debug, Clone)]
pub struct Line {
    pub name: String,
    pub rate: i128,
    pub amount: i128,
    pub rebate: i128,
}

impl Line {
    pub fn net(&self) -> i128 {
        self.amount - self.rebate
    }
}

/// What the lines of one rate come to.
pub struct Group {
    pub rate: i128,
    pub net: i128,
    pub tax: i128,
}

/// Keeps its lines in the order in which they were added. Every change is made whole or not at all.
pub struct Document {
    pub name: String,
    pub currency: Currency,
    pub lines: Vec<Line>,
    rounding: Rounding,
    has_rebate: bool,
}

impl Document {
    pub fn new(name: &str, currency: Currency, rounding: Rounding) -> Self {
        Document { name: name.to_string(), currency, lines: Vec::new(), rounding, has_rebate: false }
    }

    /// Adds a line and returns its amount.
    pub fn add_line(&mut self, name: &str, quantity: Decimal, price: Decimal, rate: Decimal) -> Result<i128, Refused> {
        self.refuse_after_rebate()?;
        if self.find(name).is_some() {
            return Err(Refused("line_exists"));
        }
        let product = quantity.scaled(QUANTITY_PLACES) * price.scaled(PRICE_PLACES);
        let exact = product * power_of_ten(self.currency.digits);
        let amount = self.rounding.divide(exact, power_of_ten(QUANTITY_PLACES + PRICE_PLACES));
        let mut lines = self.lines.clone();
        lines.push(Line { name: name.to_string(), rate: rate.scaled(FINEST), amount, rebate: 0 });
        self.change(lines, &[])?;
        Ok(amount)
    }

    /// Lowers a line and returns the amount that is left.
    pub fn discount(&mut self, name: &str, reduction: Reduction) -> Result<i128, Refused> {
        self.refuse_after_rebate()?;
        let place = self.find(name).ok_or(Refused("unknown_line"))?;
        let mut lines = self.lines.clone();
        let before = lines[place].amount;
        let left = before.abs() - self.taken_off(reduction, before.abs())?;
        let amount = before.signum() * left;
        lines[place].amount = amount;
        self.change(lines, &[])?;
        Ok(amount)
    }

    /// Lowers all lines that are no credits and returns the rebate.
    pub fn rebate(&mut self, reduction: Reduction) -> Result<i128, Refused> {
        self.refuse_after_rebate()?;
        let weights: Vec<i128> = self.lines.iter().map(|line| line.amount.max(0)).collect();
        let rebate = self.taken_off(reduction, weights.iter().sum())?;
        let mut lines = self.lines.clone();
        for (line, part) in lines.iter_mut().zip(allocate(rebate, &weights)) {
            line.rebate = part;
        }
        self.change(lines, &[rebate])?;
        self.has_rebate = true;
        Ok(rebate)
    }

    /// Returns what the lines of each rate come to, in ascending order of the rates.
    pub fn groups(&self) -> Vec<Group> {
        self.groups_of(&self.lines)
    }

    fn groups_of(&self, lines: &[Line]) -> Vec<Group> {
        let mut nets: BTreeMap<i128, i128> = BTreeMap::new();
        for line in lines {
            *nets.entry(line.rate).or_insert(0) += line.net();
        }
        nets.into_iter().map(|(rate, net)| Group { rate, net, tax: self.percent_of(net, rate) }).collect()
    }

    fn refuse_after_rebate(&self) -> Result<(), Refused> {
        if self.has_rebate {
            return Err(Refused("rebate_given"));
        }
        Ok(())
    }

    fn find(&self, name: &str) -> Option<usize> {
        self.lines.iter().position(|line| line.name == name)
    }

    fn taken_off(&self, reduction: Reduction, base: i128) -> Result<i128, Refused> {
        let value = match reduction {
            Reduction::Percent(value) => return Ok(self.percent_of(base, value.scaled(FINEST))),
            Reduction::Amount(value) => value,
        };
        if value.places > self.currency.digits {
            return Err(Refused("too_precise"));
        }
        let taken = value.scaled(self.currency.digits);
        if taken > base {
            return Err(Refused("discount_too_large"));
        }
        Ok(taken)
    }

    fn percent_of(&self, units: i128, thousandths: i128) -> i128 {
        self.rounding.divide(units * thousandths, PERCENT_DIVISOR)
    }

    fn change(&mut self, lines: Vec<Line>, more: &[i128]) -> Result<(), Refused> {
        let groups = self.groups_of(&lines);
        let (net, tax) = sum_of(&groups);
        let mut shown = vec![net, tax, net + tax];
        shown.extend_from_slice(more);
        shown.extend(lines.iter().flat_map(|line| [line.amount, line.net()]));
        shown.extend(groups.iter().flat_map(|group| [group.net, group.tax]));
        if shown.iter().any(|figure| figure.abs() > LARGEST) {
            return Err(Refused("overflow"));
        }
        self.lines = lines;
        Ok(())
    }
}

/// Returns the net and the tax of all groups together.
pub fn sum_of(groups: &[Group]) -> (i128, i128) {
    (groups.iter().map(|group| group.net).sum(), groups.iter().map(|group| group.tax).sum())
}
