//! From a line to a command whose fields are all in their form and range.

use std::collections::HashMap;

use crate::decimals::{parse_decimal, Decimal};
use crate::refusal::Refused;
use crate::rounding::Rounding;

pub const FINEST: u32 = 3;
const PERCENT: &str = "percent";
const AMOUNT: &str = "amount";
const LONGEST_NAME: usize = 12;
/// Of a quantity and of a percentage, in thousandths.
const MOST_QUANTITY: i128 = 999_999_999;
const MOST_PERCENT: i128 = 100_000;

/// How much a discount or a rebate takes off.
#[derive(Debug, Clone, Copy)]
pub enum Reduction {
    Percent(Decimal),
    Amount(Decimal),
}

#[derive(Debug)]
pub enum Request<'a> {
    Currency { code: &'a str, digits: u32 },
    Open { doc: &'a str, code: &'a str, rounding: Rounding },
    Line { doc: &'a str, line: &'a str, quantity: Decimal, price: Decimal, rate: Decimal },
    Discount { doc: &'a str, line: &'a str, reduction: Reduction },
    Rebate { doc: &'a str, reduction: Reduction },
    Lines { doc: &'a str },
    Total { doc: &'a str },
}

/// Returns the request that a line is.
pub fn parse(line: &str) -> Result<Request<'_>, Refused> {
    let words: Vec<&str> = line.split(' ').collect();
    let names: &[&str] = match words[0] {
        "currency" => &["code", "digits"],
        "open" => &["doc", "code", "rounding"],
        "line" => &["doc", "line", "quantity", "price", "rate"],
        "discount" => &["doc", "line", "kind", "value"],
        "rebate" => &["doc", "kind", "value"],
        "lines" | "total" => &["doc"],
        _ => return Err(Refused("unknown_command")),
    };
    if words.len() - 1 != names.len() {
        return Err(Refused("wrong_fields"));
    }
    let fields: HashMap<&str, &str> = names.iter().copied().zip(words[1..].iter().copied()).collect();
    check_names(&fields)?;
    check_choices(&fields)?;
    let numbers = read_numbers(&fields)?;
    if !numbers.iter().all(|(name, &number)| is_allowed(name, number, &fields)) {
        return Err(Refused("out_of_range"));
    }
    let doc = fields.get("doc").copied().unwrap_or_default();
    Ok(match words[0] {
        "currency" => Request::Currency { code: fields["code"], digits: fields["digits"].parse().unwrap_or(0) },
        "open" => Request::Open {
            doc,
            code: fields["code"],
            rounding: Rounding::named(fields["rounding"]).ok_or(Refused("bad_word"))?,
        },
        "line" => Request::Line {
            doc,
            line: fields["line"],
            quantity: numbers["quantity"],
            price: numbers["price"],
            rate: numbers["rate"],
        },
        "discount" => {
            Request::Discount { doc, line: fields["line"], reduction: reduction(fields["kind"], numbers["value"]) }
        }
        "rebate" => Request::Rebate { doc, reduction: reduction(fields["kind"], numbers["value"]) },
        "lines" => Request::Lines { doc },
        _ => Request::Total { doc },
    })
}

fn check_names(fields: &HashMap<&str, &str>) -> Result<(), Refused> {
    for name in ["code", "doc", "line"] {
        if let Some(word) = fields.get(name) {
            let length = word.chars().count();
            if length < 1 || length > LONGEST_NAME {
                return Err(Refused("bad_name"));
            }
        }
    }
    Ok(())
}

fn check_choices(fields: &HashMap<&str, &str>) -> Result<(), Refused> {
    let known = fields.iter().all(|(&name, &word)| match name {
        "digits" => ["0", "2", "3"].contains(&word),
        "rounding" => Rounding::named(word).is_some(),
        "kind" => [PERCENT, AMOUNT].contains(&word),
        _ => true,
    });
    if known {
        Ok(())
    } else {
        Err(Refused("bad_word"))
    }
}

fn read_numbers(fields: &HashMap<&str, &str>) -> Result<HashMap<&'static str, Decimal>, Refused> {
    let mut numbers = HashMap::new();
    for name in ["quantity", "price", "rate", "value"] {
        if let Some(word) = fields.get(name) {
            numbers.insert(name, parse_decimal(word).ok_or(Refused("bad_number"))?);
        }
    }
    Ok(numbers)
}

fn is_allowed(name: &str, number: Decimal, fields: &HashMap<&str, &str>) -> bool {
    if name == "quantity" {
        return number.places <= FINEST && number.digits != 0 && number.scaled(FINEST).abs() <= MOST_QUANTITY;
    }
    if name == "rate" || fields.get("kind") == Some(&PERCENT) {
        return number.places <= FINEST && number.digits >= 0 && number.scaled(FINEST) <= MOST_PERCENT;
    }
    number.digits >= 0
}

fn reduction(kind: &str, value: Decimal) -> Reduction {
    if kind == PERCENT {
        Reduction::Percent(value)
    } else {
        Reduction::Amount(value)
    }
}
