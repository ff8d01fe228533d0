//! Writes down what was read.

use crate::document::Document;

pub fn report(name: &str, document: Document) -> String {
    let mut lines = Vec::new();
    if document.errors.is_empty() {
        lines.push(format!("document {} ok {}", name, document.settings.len()));
        for setting in &document.settings {
            lines.push(format!("{} = {}", setting.path, setting.value));
        }
    } else {
        lines.push(format!("document {} failed {}", name, document.errors.len()));
        for error in &document.errors {
            lines.push(format!("{}:{} {}", error.line, error.column, error.kind));
        }
    }
    lines.iter().map(|line| format!("{}\n", line)).collect()
}
