//! Answers commands: the clock, the keys, and the words of the answers.

use crate::account::Account;
use crate::book::Book;
use crate::keys::Keys;
use crate::outcome::Denied::{self, Declined, Refused};
use crate::request::{parse, Action, Keyed, Request};

/// Answers one command line after the other.
pub struct Desk {
    book: Book,
    keys: Keys,
    clock: i64,
}

impl Desk {
    pub fn new() -> Self {
        Desk { book: Book::default(), keys: Keys::default(), clock: 0 }
    }

    /// Returns the lines of the answer.
    pub fn answer(&mut self, line: &str) -> Vec<String> {
        match parse(line).and_then(|request| self.respond(request)) {
            Ok(answer) => answer,
            Err(Refused(reason)) => vec![format!("refused {}", reason)],
            Err(Declined(reason)) => vec![format!("declined {}", reason)],
        }
    }

    fn respond(&mut self, request: Request) -> Result<Vec<String>, Denied> {
        match request {
            Request::Account { account, currency, overdraft } => {
                self.book.open(account, currency, overdraft)?;
                Ok(vec!["ok".to_string()])
            }
            Request::Balance { at, account } => Ok(vec![balance(self.book.account(account)?, at)]),
            Request::Statement { start, end, account } => Ok(statement(self.book.account(account)?, start, end)),
            Request::Keyed(keyed) => Ok(vec![self.keyed(keyed)?]),
        }
    }

    fn keyed(&mut self, request: Keyed) -> Result<String, Denied> {
        let Keyed { at, client, key, content, action } = request;
        if at < self.clock {
            return Err(Refused("time_backwards"));
        }
        let answer = match self.keys.recall(client, key, at, &content)? {
            Some(answer) => answer,
            None => {
                let answer = self.carry_out(at, action)?;
                self.keys.remember(client, key, at, &content, &answer);
                answer
            }
        };
        // only now: nothing above has been refused
        self.clock = at;
        Ok(answer)
    }

    /// Returns an answer also if the action is declined.
    fn carry_out(&mut self, at: i64, action: Action) -> Result<String, Denied> {
        match self.apply(at, action) {
            Ok(name) => Ok(format!("ok {}", name)),
            Err(Declined(reason)) => Ok(format!("declined {}", reason)),
            Err(refused) => Err(refused),
        }
    }

    fn apply(&mut self, at: i64, action: Action) -> Result<String, Denied> {
        match action {
            Action::Post(postings) => self.book.post(at, postings),
            Action::Hold { account, amount, until } => self.book.hold(at, account, amount, until),
            Action::Capture { hold, payee, amount } => self.book.capture(at, hold, payee, amount),
            Action::Release { hold } => self.book.release(at, hold),
            Action::Reverse { transaction } => self.book.reverse(at, transaction),
        }
    }
}

fn balance(account: &Account, at: i64) -> String {
    let (balance, held) = (account.balance_at(at), account.held_at(at));
    format!("balance {} held {} available {}", balance, held, balance - held + account.overdraft)
}

fn statement(account: &Account, start: i64, end: i64) -> Vec<String> {
    let opening = account.balance_at(start - 1);
    let mut closing = opening;
    let mut answer = vec![String::new()];
    for entry in account.entries.iter().filter(|entry| start <= entry.at && entry.at < end) {
        closing = entry.balance;
        answer.push(format!(
            "entry {} {} {} {} {}",
            entry.at, entry.transaction, entry.other, entry.amount, entry.balance
        ));
    }
    answer[0] = format!("statement {} opening {} closing {}", answer.len() - 1, opening, closing);
    answer
}
