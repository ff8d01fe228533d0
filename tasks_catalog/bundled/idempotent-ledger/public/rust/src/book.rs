//! Accounts, transactions and holds.

use std::collections::HashMap;

pub struct Entry {
    pub at: i64,
    pub transaction: String,
    pub other: String,
    pub amount: i64,
    pub balance: i64,
}

#[derive(Default)]
pub struct Account {
    pub overdraft: i64,
    pub balance: i64,
    pub held: i64,
    pub entries: Vec<Entry>,
}

impl Account {
    pub fn available(&self) -> i64 {
        self.balance - self.held + self.overdraft
    }

    fn book(&mut self, at: i64, transaction: &str, other: &str, amount: i64) {
        self.balance += amount;
        let (transaction, other) = (transaction.to_string(), other.to_string());
        self.entries.push(Entry { at, transaction, other, amount, balance: self.balance });
    }
}

#[derive(Clone)]
pub struct Posting {
    pub payer: String,
    pub payee: String,
    pub amount: i64,
}

struct Hold {
    account: String,
    amount: i64,
}

/// Carries out postings, holds and reversals; None means that the money is not there, or that
/// something is not known.
#[derive(Default)]
pub struct Book {
    pub accounts: HashMap<String, Account>,
    transactions: HashMap<String, Vec<Posting>>,
    holds: HashMap<String, Hold>,
}

impl Book {
    pub fn open(&mut self, name: &str, overdraft: i64) {
        self.accounts.insert(name.to_string(), Account { overdraft, ..Account::default() });
    }

    /// Books the postings and returns the name of the transaction.
    pub fn post(&mut self, at: i64, postings: Vec<Posting>) -> Option<String> {
        let name = format!("T{}", self.transactions.len() + 1);
        for Posting { payer, payee, amount } in &postings {
            let paying = self.accounts.get_mut(payer)?;
            if paying.available() < *amount {
                return None;
            }
            paying.book(at, &name, payee, -amount);
            self.accounts.get_mut(payee)?.book(at, &name, payer, *amount);
        }
        self.transactions.insert(name.clone(), postings);
        Some(name)
    }

    /// Sets an amount aside and returns the name of the hold.
    pub fn hold(&mut self, name: &str, amount: i64) -> Option<String> {
        let account = self.accounts.get_mut(name)?;
        if account.available() < amount {
            return None;
        }
        account.held += amount;
        let made = format!("H{}", self.holds.len() + 1);
        self.holds.insert(made.clone(), Hold { account: name.to_string(), amount });
        Some(made)
    }

    pub fn has_hold(&self, name: &str) -> bool {
        self.holds.contains_key(name)
    }

    /// Books what was held and returns the name of the transaction.
    pub fn capture(&mut self, at: i64, name: &str, payee: &str, amount: i64) -> Option<String> {
        let hold = self.holds.get_mut(name)?;
        if hold.amount < amount {
            return None;
        }
        hold.amount -= amount;
        let payer = hold.account.clone();
        self.accounts.get_mut(&payer)?.held -= amount;
        self.post(at, vec![Posting { payer, payee: payee.to_string(), amount }])
    }

    /// Frees what is still held and returns the name of the hold.
    pub fn release(&mut self, name: &str) -> Option<String> {
        let hold = self.holds.get_mut(name)?;
        self.accounts.get_mut(&hold.account)?.held -= hold.amount;
        hold.amount = 0;
        Some(name.to_string())
    }

    pub fn has_transaction(&self, name: &str) -> bool {
        self.transactions.contains_key(name)
    }

    /// Books the opposite of a transaction and returns the name of the new one.
    pub fn reverse(&mut self, at: i64, name: &str) -> Option<String> {
        let opposite = |p: Posting| Posting { payer: p.payee, payee: p.payer, amount: p.amount };
        let postings = self.transactions.get(name)?.iter().cloned().map(opposite).collect();
        self.post(at, postings)
    }
}
