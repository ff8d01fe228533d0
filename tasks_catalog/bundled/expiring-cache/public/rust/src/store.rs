//! What is stored.

/// `until` is the instant at which the entry has lived for its time to live.
pub struct Entry {
    pub key: String,
    pub value: String,
    pub version: u64,
    pub ttl: u64,
    pub until: u64,
    pub tags: Vec<String>,
}

impl Entry {
    pub fn size(&self) -> u64 {
        (self.key.chars().count() + self.value.chars().count()) as u64
    }

    pub fn is_dead(&self, at: u64) -> bool {
        at > self.until
    }
}

/// Entries in the order in which they were stored.
#[derive(Default)]
pub struct Store {
    pub capacity: u64,
    pub entries: Vec<Entry>,
}

impl Store {
    pub fn find(&mut self, key: &str) -> Option<&mut Entry> {
        self.entries.iter_mut().find(|entry| entry.key == key)
    }

    pub fn used(&self) -> u64 {
        self.entries.iter().map(Entry::size).sum()
    }

    pub fn remove(&mut self, key: &str) {
        self.entries.retain(|entry| entry.key != key);
    }

    /// Stores an entry; returns the keys of those that had to go.
    pub fn put(&mut self, entry: Entry) -> Vec<String> {
        self.remove(&entry.key);
        let mut evicted = Vec::new();
        while !self.entries.is_empty() && self.used() + entry.size() > self.capacity {
            evicted.push(self.entries.remove(0).key);
        }
        self.entries.push(entry);
        evicted
    }
}
