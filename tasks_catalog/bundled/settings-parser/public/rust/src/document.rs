//! What was read from a document.

/// A path and a value as they are printed.
pub struct Setting {
    pub path: String,
    pub value: String,
}

/// A mistake and its place. Lines and columns count from 1.
pub struct Mistake {
    pub line: usize,
    pub column: usize,
    pub kind: &'static str,
}

pub struct Document {
    pub settings: Vec<Setting>,
    pub errors: Vec<Mistake>,
}
