//! Carries out commands.

use std::collections::HashMap;

use crate::decimals::{format_hundredths, parse_hundredths, parse_whole};
use crate::document::{percent_of, Document};

/// Keeps documents; answers one command line after the other.
pub struct Register {
    documents: HashMap<String, Document>,
}

impl Register {
    pub fn new() -> Self {
        Register { documents: HashMap::new() }
    }

    /// Returns the lines of the answer.
    pub fn answer(&mut self, line: &str) -> Vec<String> {
        self.carry_out(line).unwrap_or_else(|| vec!["refused bad_command".to_string()])
    }

    fn carry_out(&mut self, line: &str) -> Option<Vec<String>> {
        let words: Vec<&str> = line.split(' ').collect();
        if words.len() < 2 {
            return None;
        }
        if words[0] == "currency" {
            return Some(vec!["ok".to_string()]);
        }
        if words[0] == "open" && words.len() > 2 {
            self.documents.insert(words[1].to_string(), Document::new(words[1], words[2]));
            return Some(vec!["ok".to_string()]);
        }
        let document = self.documents.get_mut(words[1])?;
        match (words[0], words.len()) {
            ("line", 6) => add_line(document, words[2], words[3], words[4], words[5]),
            ("discount", 5) => discount(document, words[2], words[3], words[4]),
            ("rebate", 4) => rebate(document, words[2], words[3]),
            ("lines", _) => Some(lines(document)),
            ("total", _) => Some(total(document)),
            _ => None,
        }
    }
}

fn add_line(document: &mut Document, name: &str, quantity: &str, price: &str, rate: &str) -> Option<Vec<String>> {
    let (count, cents, percent) = (parse_whole(quantity)?, parse_hundredths(price)?, parse_whole(rate)?);
    Some(vec![format!("ok {}", format_hundredths(document.add_line(name, count, cents, percent)))])
}

fn discount(document: &mut Document, name: &str, kind: &str, value: &str) -> Option<Vec<String>> {
    let line = document.find(name)?;
    let (cents, percent) = (parse_hundredths(value)?, parse_whole(value)?);
    line.amount -= if kind == "percent" { percent_of(line.amount, percent) } else { cents };
    Some(vec![format!("ok {}", format_hundredths(line.amount))])
}

fn rebate(document: &mut Document, kind: &str, value: &str) -> Option<Vec<String>> {
    let (cents, percent) = (parse_hundredths(value)?, parse_whole(value)?);
    let figure = if kind == "percent" { document.rebate_percent(percent) } else { document.rebate_amount(cents) };
    Some(vec![format!("ok {}", format_hundredths(figure))])
}

fn lines(document: &Document) -> Vec<String> {
    let mut answer = vec![format!("lines {}", document.lines.len())];
    for line in &document.lines {
        answer.push(format!(
            "item {} rate {} amount {} rebate {} net {}",
            line.name,
            line.rate,
            format_hundredths(line.amount),
            format_hundredths(line.rebate),
            format_hundredths(line.net())
        ));
    }
    answer
}

fn total(document: &Document) -> Vec<String> {
    let net: i64 = document.lines.iter().map(|line| line.net()).sum();
    let tax: i64 = document.lines.iter().map(|line| line.tax()).sum();
    let mut answer = vec![format!(
        "total {} {} net {} tax {} gross {}",
        document.name,
        document.code,
        format_hundredths(net),
        format_hundredths(tax),
        format_hundredths(net + tax)
    )];
    for rate in document.rates() {
        let group = || document.lines.iter().filter(|line| line.rate == rate);
        let net = group().map(|line| line.net()).sum();
        let tax = group().map(|line| line.tax()).sum();
        answer.push(format!("rate {} net {} tax {}", rate, format_hundredths(net), format_hundredths(tax)));
    }
    answer
}
