//! The loads under way.

use std::collections::{HashMap, HashSet};

/// `invalidated` holds the tags that were invalidated since the load began.
pub struct Load {
    pub ticket: u64,
    until: u64,
    overtaken: bool,
    invalidated: HashSet<String>,
}

impl Load {
    pub fn is_superseded(&self, tags: &[String]) -> bool {
        self.overtaken || tags.iter().any(|tag| self.invalidated.contains(tag))
    }
}

/// At most one load of a key is under way at a time.
#[derive(Default)]
pub struct Loads {
    last_ticket: u64,
    by_key: HashMap<String, Load>,
}

impl Loads {
    /// The load of this key whose lease has not ended.
    pub fn under_way(&self, key: &str, at: u64) -> Option<&Load> {
        self.by_key.get(key).filter(|load| at < load.until)
    }

    /// Begins a load; returns its ticket.
    pub fn begin(&mut self, key: &str, until: u64) -> u64 {
        self.last_ticket += 1;
        let load = Load { ticket: self.last_ticket, until, overtaken: false, invalidated: HashSet::new() };
        self.by_key.insert(key.to_string(), load);
        self.last_ticket
    }

    pub fn end(&mut self, key: &str) {
        self.by_key.remove(key);
    }

    /// Something newer than what the load of this key will bring has happened to the key.
    pub fn overtake(&mut self, key: &str) {
        if let Some(load) = self.by_key.get_mut(key) {
            load.overtaken = true;
        }
    }

    pub fn invalidate(&mut self, tag: &str) {
        for load in self.by_key.values_mut() {
            load.invalidated.insert(tag.to_string());
        }
    }

    pub fn count(&self, at: u64) -> usize {
        self.by_key.values().filter(|load| at < load.until).count()
    }
}
