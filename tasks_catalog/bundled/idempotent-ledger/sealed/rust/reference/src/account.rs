//! One account: what was booked on it and what is held of it.

/// One posting as this account sees it; `amount` is less than zero if it pays.
pub struct Entry {
    pub at: i64,
    pub transaction: String,
    pub other: String,
    pub amount: i64,
    pub balance: i64,
}

/// Live from `made` up to, but not including, `ends`.
pub struct Hold {
    pub name: String,
    pub amount: i64,
    pub made: i64,
    pub ends: i64,
}

impl Hold {
    pub fn is_live(&self, at: i64) -> bool {
        self.made <= at && at < self.ends
    }
}

/// Entries stand in the order of booking, which is also the order of their instants.
pub struct Account {
    pub currency: String,
    pub overdraft: i64,
    pub entries: Vec<Entry>,
    pub holds: Vec<Hold>,
}

impl Account {
    pub fn new(currency: &str, overdraft: i64) -> Self {
        Account { currency: currency.to_string(), overdraft, entries: Vec::new(), holds: Vec::new() }
    }

    pub fn balance(&self) -> i64 {
        self.entries.last().map_or(0, |entry| entry.balance)
    }

    /// Returns the balance after all that was booked at this instant or before.
    pub fn balance_at(&self, at: i64) -> i64 {
        self.entries.iter().rev().find(|entry| entry.at <= at).map_or(0, |entry| entry.balance)
    }

    pub fn held_at(&self, at: i64) -> i64 {
        self.holds.iter().filter(|hold| hold.is_live(at)).map(|hold| hold.amount).sum()
    }

    pub fn book(&mut self, at: i64, transaction: &str, other: &str, amount: i64) {
        let balance = self.balance() + amount;
        let (transaction, other) = (transaction.to_string(), other.to_string());
        self.entries.push(Entry { at, transaction, other, amount, balance });
    }
}
