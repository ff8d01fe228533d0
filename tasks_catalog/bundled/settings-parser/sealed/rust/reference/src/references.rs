//! Follows references from setting to setting.

use std::collections::{BTreeMap, HashSet};

use crate::printing::printed_list;
use crate::values::{references_in, Part, Path, Reference, Value};

pub struct Resolver<'a> {
    pub settings: &'a BTreeMap<Path, Vec<Part>>,
}

impl<'a> Resolver<'a> {
    /// Returns start and kind of every error that shows only when the whole document is known.
    pub fn errors(&self) -> Vec<(usize, &'static str)> {
        let mut found = Vec::new();
        for (path, parts) in self.settings {
            for reference in self.references_of(path) {
                if !self.settings.contains_key(&reference.path) {
                    found.push((reference.start, "undefined-reference"));
                } else if self.leads_to(&reference.path, path) {
                    found.push((reference.start, "reference-cycle"));
                }
            }
            if parts.len() > 1 {
                let singles = parts.iter().filter(|part| self.is_single(&part.value));
                found.extend(singles.map(|part| (part.start, "not-a-list")));
            }
        }
        found
    }

    /// Returns the parts of the value of a setting, none if it is not given.
    fn parts_of(&self, path: &Path) -> &'a [Part] {
        self.settings.get(path).map_or(&[][..], |parts| parts.as_slice())
    }

    fn references_of(&self, path: &Path) -> Vec<&'a Reference> {
        self.parts_of(path).iter().flat_map(|part| references_in(&part.value)).collect()
    }

    fn leads_to(&self, start: &Path, goal: &Path) -> bool {
        let mut waiting = vec![start.clone()];
        let mut seen: HashSet<Path> = waiting.iter().cloned().collect();
        while let Some(path) = waiting.pop() {
            if &path == goal {
                return true;
            }
            for reference in self.references_of(&path) {
                if seen.insert(reference.path.clone()) {
                    waiting.push(reference.path.clone());
                }
            }
        }
        false
    }

    /// Tells whether a value is known to be no list.
    fn is_single(&self, value: &Value) -> bool {
        let mut seen = HashSet::new();
        let mut last = value;
        while let Value::Reference(reference) = last {
            match self.parts_of(&reference.path) {
                [part] if seen.insert(&reference.path) => last = &part.value,
                _ => return false,
            }
        }
        matches!(last, Value::Single(_))
    }

    /// Returns the value of a setting as it is printed, in a document without errors.
    pub fn printed(&self, path: &Path) -> String {
        match self.parts_of(path) {
            [part] => self.printed_value(&part.value),
            _ => printed_list(&self.elements_of(path)),
        }
    }

    fn printed_value(&self, value: &Value) -> String {
        match value {
            Value::Reference(reference) => self.printed(&reference.path),
            Value::List(elements) => printed_list(&self.printed_all(elements)),
            Value::Single(printed) => printed.clone(),
            Value::Unknown => String::new(),
        }
    }

    fn printed_all(&self, values: &[Value]) -> Vec<String> {
        values.iter().map(|value| self.printed_value(value)).collect()
    }

    /// Returns the printed elements of a setting that is a list.
    fn elements_of(&self, path: &Path) -> Vec<String> {
        let mut elements = Vec::new();
        for part in self.parts_of(path) {
            match &part.value {
                Value::Reference(reference) => elements.extend(self.elements_of(&reference.path)),
                Value::List(values) => elements.extend(self.printed_all(values)),
                _ => {}
            }
        }
        elements
    }
}
