//! Carries out commands.

use std::collections::HashMap;

use crate::decimals::{format_decimal, format_shortest};
use crate::document::{sum_of, Currency, Document};
use crate::refusal::Refused;
use crate::request::{parse, Request, FINEST};
use crate::rounding::Rounding;

/// Keeps currencies and documents; answers one command line after the other.
pub struct Register {
    currencies: HashMap<String, Currency>,
    documents: HashMap<String, Document>,
}

impl Register {
    pub fn new() -> Self {
        Register { currencies: HashMap::new(), documents: HashMap::new() }
    }

    /// Returns the lines of the answer.
    pub fn answer(&mut self, line: &str) -> Vec<String> {
        match parse(line).and_then(|request| self.carry_out(request)) {
            Ok(answer) => answer,
            Err(Refused(reason)) => vec![format!("refused {}", reason)],
        }
    }

    fn carry_out(&mut self, request: Request) -> Result<Vec<String>, Refused> {
        match request {
            Request::Currency { code, digits } => self.currency(code, digits),
            Request::Open { doc, code, rounding } => self.open(doc, code, rounding),
            Request::Line { doc, line, quantity, price, rate } => {
                self.change(doc, |document| document.add_line(line, quantity, price, rate))
            }
            Request::Discount { doc, line, reduction } => {
                self.change(doc, |document| document.discount(line, reduction))
            }
            Request::Rebate { doc, reduction } => self.change(doc, |document| document.rebate(reduction)),
            Request::Lines { doc } => Ok(lines(self.document(doc)?)),
            Request::Total { doc } => Ok(total(self.document(doc)?)),
        }
    }

    fn currency(&mut self, code: &str, digits: u32) -> Result<Vec<String>, Refused> {
        if self.currencies.contains_key(code) {
            return Err(Refused("currency_exists"));
        }
        self.currencies.insert(code.to_string(), Currency { code: code.to_string(), digits });
        Ok(vec!["ok".to_string()])
    }

    fn open(&mut self, doc: &str, code: &str, rounding: Rounding) -> Result<Vec<String>, Refused> {
        if self.documents.contains_key(doc) {
            return Err(Refused("document_exists"));
        }
        let currency = self.currencies.get(code).ok_or(Refused("unknown_currency"))?;
        self.documents.insert(doc.to_string(), Document::new(doc, currency.clone(), rounding));
        Ok(vec!["ok".to_string()])
    }

    fn change(
        &mut self,
        doc: &str,
        apply: impl FnOnce(&mut Document) -> Result<i128, Refused>,
    ) -> Result<Vec<String>, Refused> {
        let document = self.document(doc)?;
        let figure = apply(document)?;
        Ok(vec![format!("ok {}", amount(document, figure))])
    }

    fn document(&mut self, name: &str) -> Result<&mut Document, Refused> {
        self.documents.get_mut(name).ok_or(Refused("unknown_document"))
    }
}

fn lines(document: &Document) -> Vec<String> {
    let mut answer = vec![format!("lines {}", document.lines.len())];
    for line in &document.lines {
        answer.push(format!(
            "item {} rate {} amount {} rebate {} net {}",
            line.name,
            format_shortest(line.rate, FINEST),
            amount(document, line.amount),
            amount(document, line.rebate),
            amount(document, line.net())
        ));
    }
    answer
}

fn total(document: &Document) -> Vec<String> {
    let groups = document.groups();
    let (net, tax) = sum_of(&groups);
    let mut answer = vec![format!(
        "total {} {} net {} tax {} gross {}",
        document.name,
        document.currency.code,
        amount(document, net),
        amount(document, tax),
        amount(document, net + tax)
    )];
    for group in groups {
        answer.push(format!(
            "rate {} net {} tax {}",
            format_shortest(group.rate, FINEST),
            amount(document, group.net),
            amount(document, group.tax)
        ));
    }
    answer
}

fn amount(document: &Document, units: i128) -> String {
    format_decimal(units, document.currency.digits)
}
