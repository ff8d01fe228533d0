//! The settings and sections that a document gives.

use std::collections::{BTreeMap, HashSet};

use crate::values::{Part, Path, Value};

/// `settings` holds the parts of every value. The map orders paths key by key, and keys by code points.
#[derive(Default)]
pub struct Given {
    pub settings: BTreeMap<Path, Vec<Part>>,
    sections: HashSet<Path>,
}

impl Given {
    /// Makes the path a section. If there are settings on the way, returns how many keys lead to the first.
    pub fn open_section(&mut self, path: &[String]) -> Option<usize> {
        let lengths = 1..=path.len();
        let clash = lengths.clone().find(|&length| self.settings.contains_key(&path[..length]));
        if clash.is_none() {
            self.sections.extend(lengths.map(|length| path[..length].to_vec()));
        }
        clash
    }

    /// Returns the kind of error, None if there is none.
    pub fn set(&mut self, path: Path, part: Part) -> Option<&'static str> {
        if self.sections.contains(&path) {
            return Some("key-section-clash");
        }
        if self.settings.contains_key(&path) {
            return Some("duplicate-key");
        }
        self.settings.insert(path, vec![part]);
        None
    }

    /// Returns the kind of error, None if there is none.
    pub fn append(&mut self, path: Path, part: Part) -> Option<&'static str> {
        if self.sections.contains(&path) {
            return Some("key-section-clash");
        }
        if let Some(parts) = self.settings.get_mut(&path) {
            parts.push(part);
            return None;
        }
        self.settings.insert(path, vec![Part { value: Value::Unknown, start: part.start }]);
        Some("unset-append")
    }
}
