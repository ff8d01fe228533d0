//! Carries out commands.

use std::collections::HashMap;

use crate::store::{Entry, Store};

const REFUSED: &str = "refused bad_command";
const FIELDS_OF_SET: usize = 7;

/// Answers one line after the other.
#[derive(Default)]
pub struct Cache {
    store: Store,
    version: u64,
    counts: HashMap<&'static str, u64>,
}

impl Cache {
    /// The lines of removals and the answer line of a command.
    pub fn answer(&mut self, line: &str) -> Vec<String> {
        let pieces = if line.starts_with("set ") { FIELDS_OF_SET + 1 } else { usize::MAX };
        let fields: Vec<&str> = line.splitn(pieces, ' ').collect();
        match fields[..] {
            ["cache", capacity, _] => {
                self.store = Store { capacity: number(capacity), entries: Vec::new() };
                vec!["ok".to_string()]
            }
            ["set", at, key, _, ttl, _, tags, value] => {
                let tags = tags.split(',').map(str::to_string).collect();
                self.set(number(at), key, number(ttl), tags, value)
            }
            ["get", at, key] => self.get(number(at), key),
            ["touch", at, key] => self.touch(number(at), key),
            ["delete", at, key] => self.delete(number(at), key),
            ["invalidate", at, tag] => self.invalidate(number(at), tag),
            ["resize", _, capacity] => {
                self.store.capacity = number(capacity);
                vec![format!("ok {}", self.store.used())]
            }
            ["stats", _] => vec![self.stats()],
            _ => refused(),
        }
    }

    fn set(&mut self, at: u64, key: &str, ttl: u64, tags: Vec<String>, value: &str) -> Vec<String> {
        self.version += 1;
        let mut lines = self.bury(at, key);
        let entry = Entry {
            key: key.to_string(),
            value: value.to_string(),
            version: self.version,
            ttl,
            until: at + ttl,
            tags,
        };
        for evicted in self.store.put(entry) {
            lines.push(self.removed(&evicted, "evicted"));
        }
        lines.push(format!("ok {}", self.version));
        lines
    }

    fn get(&mut self, at: u64, key: &str) -> Vec<String> {
        let mut lines = self.bury(at, key);
        if let Some(entry) = self.store.find(key) {
            lines.push(format!("hit {} {}", entry.version, entry.value));
            self.count("hits");
        } else {
            lines.push("miss yes".to_string());
            self.count("misses");
        }
        lines
    }

    fn touch(&mut self, at: u64, key: &str) -> Vec<String> {
        match self.store.find(key) {
            Some(entry) if !entry.is_dead(at) => {
                entry.until = at + entry.ttl;
                vec![format!("ok {}", entry.until)]
            }
            _ => refused(),
        }
    }

    fn delete(&mut self, at: u64, key: &str) -> Vec<String> {
        match self.store.find(key) {
            Some(entry) if !entry.is_dead(at) => {
                self.store.remove(key);
                vec!["ok".to_string()]
            }
            _ => refused(),
        }
    }

    fn invalidate(&mut self, at: u64, tag: &str) -> Vec<String> {
        let mut keys = Vec::new();
        for entry in &self.store.entries {
            if entry.tags.iter().any(|each| each == tag) && !entry.is_dead(at) {
                keys.push(entry.key.clone());
            }
        }
        keys.sort();
        let mut lines = Vec::new();
        for key in &keys {
            self.store.remove(key);
            lines.push(self.removed(key, "invalidated"));
        }
        lines.push(format!("ok {}", keys.len()));
        lines
    }

    fn stats(&self) -> String {
        let count = |name| self.counts.get(name).copied().unwrap_or(0);
        format!(
            "ok entries={} bytes={} hits={} stale=0 absent=0 misses={} expired={} evicted={} invalidated={} loading=0",
            self.store.entries.len(),
            self.store.used(),
            count("hits"),
            count("misses"),
            count("expired"),
            count("evicted"),
            count("invalidated"),
        )
    }

    fn bury(&mut self, at: u64, key: &str) -> Vec<String> {
        match self.store.find(key) {
            Some(entry) if entry.is_dead(at) => {
                self.store.remove(key);
                vec![self.removed(key, "expired")]
            }
            _ => Vec::new(),
        }
    }

    fn removed(&mut self, key: &str, cause: &'static str) -> String {
        self.count(cause);
        format!("removed {} {}", key, cause)
    }

    fn count(&mut self, name: &'static str) {
        *self.counts.entry(name).or_insert(0) += 1;
    }
}

fn refused() -> Vec<String> {
    vec![REFUSED.to_string()]
}

/// The number that a field holds; 0 if it holds none.
fn number(text: &str) -> u64 {
    if text.len() > 13 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return 0;
    }
    text.parse().unwrap_or(0)
}
