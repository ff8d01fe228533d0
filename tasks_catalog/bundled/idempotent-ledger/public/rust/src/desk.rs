//! Answers commands.

use std::collections::HashMap;

use crate::book::{Book, Posting};

const LONGEST_NUMBER: usize = 15;

/// Keeps the book and the answers to keys; answers one command line after the other.
pub struct Desk {
    book: Book,
    answers: HashMap<String, Vec<String>>,
}

impl Desk {
    pub fn new() -> Self {
        Desk { book: Book::default(), answers: HashMap::new() }
    }

    /// Returns the lines of the answer.
    pub fn answer(&mut self, line: &str) -> Vec<String> {
        let words: Vec<&str> = line.split(' ').collect();
        match (words[0], words.len()) {
            ("account", 4) => self.account(words[1], words[3]).unwrap_or_else(refused),
            ("balance", 3) => self.balance(words[2]).unwrap_or_else(refused),
            ("statement", 4) => self.statement(words[1], words[2], words[3]).unwrap_or_else(refused),
            ("hold" | "capture", 7) | ("release" | "reverse", 5) => self.keyed(&words),
            ("post", length) if length >= 7 && length % 3 == 1 => self.keyed(&words),
            _ => refused(),
        }
    }

    fn account(&mut self, name: &str, overdraft: &str) -> Option<Vec<String>> {
        self.book.open(name, number(overdraft)?);
        Some(vec!["ok".to_string()])
    }

    fn balance(&self, name: &str) -> Option<Vec<String>> {
        let account = self.book.accounts.get(name)?;
        let (balance, held, available) = (account.balance, account.held, account.available());
        Some(vec![format!("balance {} held {} available {}", balance, held, available)])
    }

    fn statement(&self, start: &str, end: &str, name: &str) -> Option<Vec<String>> {
        let account = self.book.accounts.get(name)?;
        let listed = number(start)?..=number(end)?;
        let entries: Vec<String> = account
            .entries
            .iter()
            .filter(|e| listed.contains(&e.at))
            .map(|e| format!("entry {} {} {} {} {}", e.at, e.transaction, e.other, e.amount, e.balance))
            .collect();
        let mut answer = vec![format!("statement {} opening 0 closing {}", entries.len(), account.balance)];
        answer.extend(entries);
        Some(answer)
    }

    fn keyed(&mut self, words: &[&str]) -> Vec<String> {
        if let Some(answer) = self.answers.get(words[3]) {
            return answer.clone();
        }
        let answer = self.carry_out(words[0], words[1], &words[4..]).unwrap_or_else(refused);
        self.answers.insert(words[3].to_string(), answer.clone());
        answer
    }

    fn carry_out(&mut self, command: &str, at: &str, words: &[&str]) -> Option<Vec<String>> {
        let at = number(at)?;
        match command {
            "post" => self.post(at, words),
            "hold" => self.hold(words[0], words[1]),
            "capture" => self.capture(at, words[0], words[1], words[2]),
            "release" if self.book.has_hold(words[0]) => Some(answer(self.book.release(words[0]))),
            "reverse" if self.book.has_transaction(words[0]) => Some(answer(self.book.reverse(at, words[0]))),
            _ => None,
        }
    }

    fn post(&mut self, at: i64, words: &[&str]) -> Option<Vec<String>> {
        let mut postings = Vec::new();
        for posting in words.chunks(3) {
            let (payer, payee) = (self.known(posting[0])?, self.known(posting[1])?);
            postings.push(Posting { payer, payee, amount: number(posting[2])? });
        }
        Some(answer(self.book.post(at, postings)))
    }

    fn hold(&mut self, name: &str, amount: &str) -> Option<Vec<String>> {
        let account = self.known(name)?;
        Some(answer(self.book.hold(&account, number(amount)?)))
    }

    fn capture(&mut self, at: i64, hold: &str, payee: &str, amount: &str) -> Option<Vec<String>> {
        if !self.book.has_hold(hold) {
            return None;
        }
        let payee = self.known(payee)?;
        Some(answer(self.book.capture(at, hold, &payee, number(amount)?)))
    }

    fn known(&self, name: &str) -> Option<String> {
        self.book.accounts.get_key_value(name).map(|(name, _)| name.clone())
    }
}

fn refused() -> Vec<String> {
    vec!["refused bad_command".to_string()]
}

fn answer(name: Option<String>) -> Vec<String> {
    vec![name.map_or("declined insufficient_funds".to_string(), |name| format!("ok {}", name))]
}

fn number(word: &str) -> Option<i64> {
    if word.is_empty() || word.len() > LONGEST_NUMBER || !word.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    word.parse().ok()
}
