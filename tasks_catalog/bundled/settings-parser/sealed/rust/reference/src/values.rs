//! The values of settings while references are not followed yet.

/// The keys of a section or setting.
pub type Path = Vec<String>;

pub enum Value {
    /// A value with an error in it.
    Unknown,
    /// A value that is neither a list nor a reference, as it is printed.
    Single(String),
    List(Vec<Value>),
    Reference(Reference),
}

pub struct Reference {
    pub path: Path,
    pub start: usize,
}

/// What stands behind one operator of a setting: a value and where it starts.
pub struct Part {
    pub value: Value,
    pub start: usize,
}

/// Returns all references in a value, also in the lists in it.
pub fn references_in(value: &Value) -> Vec<&Reference> {
    match value {
        Value::Reference(reference) => vec![reference],
        Value::List(elements) => elements.iter().flat_map(references_in).collect(),
        _ => Vec::new(),
    }
}
