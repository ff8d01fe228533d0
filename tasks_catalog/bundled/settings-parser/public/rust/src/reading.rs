//! Reads a document line by line.

use crate::document::{Document, Mistake, Setting};
use crate::words::{read_word, wrong, WrongWord};

const BLANKS: &[char] = &[' ', '\t'];

/// Returns all settings, or the first error.
pub fn read(text: &str) -> Document {
    let mut settings = Vec::new();
    let mut section = String::new();
    for (index, line) in text.split('\n').enumerate() {
        let statement = line.trim_matches(BLANKS);
        if statement.is_empty() || statement.starts_with('#') {
            continue;
        }
        if let Some(name) = statement.strip_prefix('[') {
            match name.strip_suffix(']') {
                Some(name) if is_key(name) => section = format!("{}.", name),
                _ => return failed(index, 1, "syntax"),
            }
            continue;
        }
        let (key, rest) = match line.split_once('=') {
            Some((key, rest)) if is_key(key.trim_matches(BLANKS)) => (key.trim_matches(BLANKS), rest),
            _ => return failed(index, 1, "syntax"),
        };
        match read_value(rest.trim_matches(BLANKS)) {
            Ok(value) => settings.push(Setting { path: format!("{}{}", section, key), value }),
            Err(error) => {
                let before = &line[..line.len() - rest.trim_start_matches(BLANKS).len()];
                return failed(index, before.chars().count() + 1 + error.offset, error.kind);
            }
        }
    }
    Document { settings, errors: Vec::new() }
}

fn failed(index: usize, column: usize, kind: &'static str) -> Document {
    Document { settings: Vec::new(), errors: vec![Mistake { line: index + 1, column, kind }] }
}

fn is_key(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

/// Returns the value as it is printed.
fn read_value(value: &str) -> Result<String, WrongWord> {
    if value.len() >= 2 && value.starts_with('"') && value.ends_with('"') {
        if value[1..value.len() - 1].contains('"') || value.contains('\\') {
            return wrong("syntax", 0);
        }
        return Ok(value.to_string());
    }
    read_word(value)
}
