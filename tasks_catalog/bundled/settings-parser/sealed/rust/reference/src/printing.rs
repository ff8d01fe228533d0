//! Paths, strings and lists as they are printed.

use crate::scanner::{is_bare, is_control};

pub fn printed_path(path: &[String]) -> String {
    path.iter().map(|key| printed_key(key)).collect::<Vec<_>>().join(".")
}

fn printed_key(key: &str) -> String {
    if !key.is_empty() && key.chars().all(is_bare) {
        return key.to_string();
    }
    printed_string(key)
}

pub fn printed_string(text: &str) -> String {
    let characters: String = text.chars().map(printed_character).collect();
    format!("\"{}\"", characters)
}

fn printed_character(character: char) -> String {
    match character {
        '\n' => "\\n".to_string(),
        '\t' => "\\t".to_string(),
        '"' | '\\' => format!("\\{}", character),
        _ if is_control(character) => format!("\\u{{{:x}}}", u32::from(character)),
        _ => character.to_string(),
    }
}

pub fn printed_list(elements: &[String]) -> String {
    format!("[{}]", elements.join(", "))
}
