//! What is stored, and what goes when room is needed.

use std::cmp::Reverse;
use std::collections::BTreeMap;

pub const EXPIRED: &str = "expired";
pub const EVICTED: &str = "evicted";
pub const INVALIDATED: &str = "invalidated";

/// `value` is None if the entry says that there is no such thing.
pub struct Entry {
    pub key: String,
    pub value: Option<String>,
    pub version: u64,
    pub slides: bool,
    pub ttl: u64,
    pub stale: u64,
    pub tags: Vec<String>,
    pub fresh_until: u64,
    pub last_use: u64,
}

impl Entry {
    pub fn size(&self) -> u64 {
        size_of(&self.key, self.value.as_deref())
    }

    pub fn dead_from(&self) -> u64 {
        self.fresh_until + self.stale
    }

    pub fn is_fresh(&self, at: u64) -> bool {
        at < self.fresh_until
    }

    pub fn is_live(&self, at: u64) -> bool {
        at < self.dead_from()
    }

    pub fn renew(&mut self, at: u64) {
        self.fresh_until = at + self.ttl;
    }

    /// The smaller, the sooner the entry goes.
    fn turn(&self, at: u64) -> (bool, u64, Reverse<u64>, &str) {
        if !self.is_live(at) {
            return (false, self.dead_from(), Reverse(0), &self.key);
        }
        (true, self.last_use, Reverse(self.size()), &self.key)
    }
}

/// Entries by key. Dead ones stay until they are removed.
#[derive(Default)]
pub struct Store {
    pub capacity: u64,
    pub entries: BTreeMap<String, Entry>,
}

impl Store {
    pub fn used(&self) -> u64 {
        self.entries.values().map(Entry::size).sum()
    }

    pub fn live(&mut self, key: &str, at: u64) -> Option<&mut Entry> {
        self.entries.get_mut(key).filter(|entry| entry.is_live(at))
    }

    /// Removes entries until `size` more bytes fit; returns each key with its cause.
    pub fn make_room(&mut self, size: u64, at: u64) -> Vec<(String, &'static str)> {
        let mut removed = Vec::new();
        while self.used() + size > self.capacity {
            let victim = self.entries.values().min_by(|a, b| a.turn(at).cmp(&b.turn(at)));
            let (key, cause) = match victim {
                Some(entry) if entry.is_live(at) => (entry.key.clone(), EVICTED),
                Some(entry) => (entry.key.clone(), EXPIRED),
                None => break,
            };
            self.entries.remove(&key);
            removed.push((key, cause));
        }
        removed
    }
}

/// The bytes that an entry uses.
pub fn size_of(key: &str, value: Option<&str>) -> u64 {
    (key.len() + value.unwrap_or("").len()) as u64
}
