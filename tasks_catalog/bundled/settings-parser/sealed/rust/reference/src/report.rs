//! Writes down what was read.

use crate::document::Document;

const MOST_ERRORS: usize = 10;

pub fn report(name: &str, document: Document) -> String {
    let mut lines = Vec::new();
    let mut errors = document.errors;
    if errors.is_empty() {
        lines.push(format!("document {} ok {}", name, document.settings.len()));
        for setting in &document.settings {
            lines.push(format!("{} = {}", setting.path, setting.value));
        }
    } else {
        let count = errors.len();
        lines.push(format!("document {} failed {}", name, count));
        errors.sort_by_key(|error| (error.line, error.column));
        errors.truncate(MOST_ERRORS);
        for error in &errors {
            lines.push(format!("{}:{} {}", error.line, error.column, error.kind));
        }
        if count > MOST_ERRORS {
            lines.push(format!("and {} more", count - MOST_ERRORS));
        }
    }
    lines.iter().map(|line| format!("{}\n", line)).collect()
}
