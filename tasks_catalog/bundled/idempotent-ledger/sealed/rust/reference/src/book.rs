//! Accounts, transactions and holds. Every change is made whole or not at all.

use std::collections::HashMap;

use crate::account::{Account, Hold};
use crate::outcome::Denied::{self, Declined, Refused};
use crate::request::{Posting, LARGEST};

struct Transaction {
    postings: Vec<Posting>,
    is_reversal: bool,
    is_reversed: bool,
}

/// What a hold that is being captured sets free.
struct Freed<'a> {
    account: &'a str,
    amount: i64,
}

/// Carries out what is not a matter of keys or of the clock.
#[derive(Default)]
pub struct Book {
    accounts: HashMap<String, Account>,
    transactions: HashMap<String, Transaction>,
    /// The name of the account of every hold.
    holders: HashMap<String, String>,
}

impl Book {
    pub fn open(&mut self, name: &str, currency: &str, overdraft: i64) -> Result<(), Denied> {
        if self.accounts.contains_key(name) {
            return Err(Refused("account_exists"));
        }
        self.accounts.insert(name.to_string(), Account::new(currency, overdraft));
        Ok(())
    }

    pub fn account(&self, name: &str) -> Result<&Account, Denied> {
        self.accounts.get(name).ok_or(Refused("unknown_account"))
    }

    /// Books a batch and returns the name of its transaction.
    pub fn post(&mut self, at: i64, postings: Vec<Posting>) -> Result<String, Denied> {
        self.check_postings(&postings)?;
        self.book(at, postings, None, false)
    }

    /// Sets an amount aside and returns the name of the hold.
    pub fn hold(&mut self, at: i64, name: &str, amount: i64, until: i64) -> Result<String, Denied> {
        if until <= at {
            return Err(Refused("until_passed"));
        }
        let account = self.accounts.get_mut(name).ok_or(Refused("unknown_account"))?;
        if account.balance() - account.held_at(at) - amount + account.overdraft < 0 {
            return Err(Declined("insufficient_funds"));
        }
        let hold = format!("H{}", self.holders.len() + 1);
        self.holders.insert(hold.clone(), name.to_string());
        account.holds.push(Hold { name: hold.clone(), amount, made: at, ends: until });
        Ok(hold)
    }

    /// Books what was held, or a part of it, and returns the name of the transaction.
    pub fn capture(&mut self, at: i64, name: &str, payee: &str, amount: i64) -> Result<String, Denied> {
        let account = self.holder(name)?;
        let postings = vec![Posting { payer: account.clone(), payee: payee.to_string(), amount }];
        self.check_postings(&postings)?;
        let hold = self.live_hold(&account, name, at)?;
        if amount > hold.amount {
            return Err(Declined("more_than_held"));
        }
        let freed = Freed { account: &account, amount: hold.amount };
        let captured = self.book(at, postings, Some(freed), false)?;
        self.live_hold(&account, name, at)?.ends = at;
        Ok(captured)
    }

    /// Ends a hold and returns its name.
    pub fn release(&mut self, at: i64, name: &str) -> Result<String, Denied> {
        let account = self.holder(name)?;
        self.live_hold(&account, name, at)?.ends = at;
        Ok(name.to_string())
    }

    /// Books the opposite of a transaction and returns the name of the new one.
    pub fn reverse(&mut self, at: i64, name: &str) -> Result<String, Denied> {
        let undone = self.transactions.get(name).ok_or(Refused("unknown_transaction"))?;
        if undone.is_reversal {
            return Err(Declined("not_reversible"));
        }
        if undone.is_reversed {
            return Err(Declined("already_reversed"));
        }
        let opposite = |p: Posting| Posting { payer: p.payee, payee: p.payer, amount: p.amount };
        let postings = undone.postings.iter().rev().cloned().map(opposite).collect();
        let reversal = self.book(at, postings, None, true)?;
        if let Some(undone) = self.transactions.get_mut(name) {
            undone.is_reversed = true;
        }
        Ok(reversal)
    }

    fn holder(&self, hold: &str) -> Result<String, Denied> {
        self.holders.get(hold).cloned().ok_or(Refused("unknown_hold"))
    }

    fn live_hold(&mut self, account: &str, name: &str, at: i64) -> Result<&mut Hold, Denied> {
        let holds = &mut self.accounts.get_mut(account).ok_or(Refused("unknown_account"))?.holds;
        let live = holds.iter_mut().find(|hold| hold.name == name && hold.is_live(at));
        live.ok_or(Declined("hold_ended"))
    }

    fn check_postings(&self, postings: &[Posting]) -> Result<(), Denied> {
        let mut currencies = Vec::new();
        for posting in postings {
            currencies.push((&self.account(&posting.payer)?.currency, &self.account(&posting.payee)?.currency));
        }
        if postings.iter().any(|posting| posting.payer == posting.payee) {
            return Err(Refused("same_account"));
        }
        if currencies.iter().any(|(payer, payee)| payer != payee) {
            return Err(Refused("currency_mismatch"));
        }
        Ok(())
    }

    fn book(
        &mut self,
        at: i64,
        postings: Vec<Posting>,
        freed: Option<Freed>,
        is_reversal: bool,
    ) -> Result<String, Denied> {
        self.check_funds(at, &postings, freed)?;
        let name = format!("T{}", self.transactions.len() + 1);
        for Posting { payer, payee, amount } in &postings {
            self.checked(payer).book(at, &name, payee, -amount);
            self.checked(payee).book(at, &name, payer, *amount);
        }
        self.transactions.insert(name.clone(), Transaction { postings, is_reversal, is_reversed: false });
        Ok(name)
    }

    fn checked(&mut self, name: &str) -> &mut Account {
        self.accounts.get_mut(name).expect("the postings have been checked")
    }

    fn check_funds(&self, at: i64, postings: &[Posting], freed: Option<Freed>) -> Result<(), Denied> {
        let mut balances: HashMap<&str, i64> = HashMap::new();
        let freed_of = |name: &str| freed.as_ref().filter(|freed| freed.account == name).map_or(0, |freed| freed.amount);
        for Posting { payer, payee, amount } in postings {
            for (name, change) in [(payer, -amount), (payee, *amount)] {
                let before = self.account(name)?.balance();
                *balances.entry(name).or_insert(before) += change;
            }
        }
        for (name, balance) in &balances {
            let account = self.account(name)?;
            let held = account.held_at(at) - freed_of(name);
            if balance - held + account.overdraft < 0 {
                return Err(Declined("insufficient_funds"));
            }
        }
        if balances.values().any(|balance| balance.abs() > LARGEST) {
            return Err(Declined("overflow"));
        }
        Ok(())
    }
}
