//! Reads a document statement by statement.

use crate::document::{Document, Setting};
use crate::given::Given;
use crate::printing::{printed_path, printed_string};
use crate::references::Resolver;
use crate::scanner::{Broken, Key, Scanner};
use crate::source::Source;
use crate::values::{Part, Path, Reference, Value};
use crate::words::read_word;

/// Returns all settings, or all errors.
pub fn read(text: &str) -> Document {
    let mut reader = Reader {
        scanner: Scanner::new(Source::new(text)),
        given: Given::default(),
        section: Some(Vec::new()),
    };
    while reader.scanner.here().is_some() {
        reader.statement();
    }
    let resolver = Resolver { settings: &reader.given.settings };
    for (start, kind) in resolver.errors() {
        reader.scanner.note(start, kind);
    }
    if !reader.scanner.errors.is_empty() {
        return Document { settings: Vec::new(), errors: reader.scanner.errors };
    }
    let paths: Vec<&Path> = reader.given.settings.keys().collect();
    let settings = paths
        .iter()
        .map(|path| Setting { path: printed_path(path), value: resolver.printed(path) })
        .collect();
    Document { settings, errors: Vec::new() }
}

/// Without a section to put settings into, `section` is None.
struct Reader {
    scanner: Scanner,
    given: Given,
    section: Option<Path>,
}

impl Reader {
    fn statement(&mut self) {
        self.scanner.open_lists = 0;
        self.scanner.blanks();
        let read = if self.scanner.at_line_end() || self.scanner.is_at('#') {
            self.scanner.end()
        } else if self.scanner.is_at('[') {
            self.header()
        } else {
            self.setting()
        };
        // A broken statement was reported, and the next one can be read.
        read.unwrap_or(())
    }

    fn header(&mut self) -> Result<(), Broken> {
        // Until the header has proved to be right, there is no section to put settings into.
        self.section = None;
        self.scanner.position += 1;
        let keys = self.scanner.path(']')?;
        self.scanner.end()?;
        if let Some(path) = path_of(&keys) {
            match self.given.open_section(&path) {
                Some(clash) => self.scanner.note(keys[clash - 1].start, "key-section-clash"),
                None => self.section = Some(path),
            }
        }
        Ok(())
    }

    fn setting(&mut self) -> Result<(), Broken> {
        let key = self.scanner.key()?;
        self.scanner.blanks();
        let appends = self.operator()?;
        self.scanner.blanks();
        let start = self.scanner.position;
        let value = self.whole_value().unwrap_or(Value::Unknown);
        if let (Some(section), Some(text)) = (&self.section, key.text) {
            let mut path = section.clone();
            path.push(text);
            let part = Part { value, start };
            let kind = if appends { self.given.append(path, part) } else { self.given.set(path, part) };
            if let Some(kind) = kind {
                self.scanner.note(key.start, kind);
            }
        }
        Ok(())
    }

    /// Tells whether the operator appends.
    fn operator(&mut self) -> Result<bool, Broken> {
        if self.scanner.is_at('=') {
            self.scanner.position += 1;
            return Ok(false);
        }
        if self.scanner.is_at('+') && self.scanner.next() == Some('=') {
            self.scanner.position += 2;
            return Ok(true);
        }
        self.scanner.fail(self.scanner.position, "expected-operator")
    }

    fn whole_value(&mut self) -> Result<Value, Broken> {
        let value = self.value()?;
        self.scanner.end()?;
        Ok(value)
    }

    fn value(&mut self) -> Result<Value, Broken> {
        if self.scanner.is_at('"') {
            let text = self.scanner.string()?;
            return Ok(text.map_or(Value::Unknown, |text| Value::Single(printed_string(&text))));
        }
        if self.scanner.is_at('[') {
            return self.list();
        }
        if self.scanner.is_at('$') && self.scanner.next() == Some('{') {
            return self.reference();
        }
        if !self.scanner.at_word() {
            return self.scanner.fail(self.scanner.position, "expected-value");
        }
        Ok(self.word())
    }

    fn list(&mut self) -> Result<Value, Broken> {
        let opening = self.scanner.position;
        self.scanner.position += 1;
        self.scanner.open_lists += 1;
        let mut elements = Vec::new();
        self.scanner.space_in_list(opening)?;
        while !self.scanner.is_at(']') {
            elements.push(self.value()?);
            self.scanner.space_in_list(opening)?;
            if self.scanner.is_at(',') {
                self.scanner.position += 1;
                self.scanner.space_in_list(opening)?;
            } else if !self.scanner.is_at(']') {
                return self.scanner.fail(self.scanner.position, "expected-comma");
            }
        }
        self.scanner.position += 1;
        self.scanner.open_lists -= 1;
        Ok(Value::List(elements))
    }

    fn reference(&mut self) -> Result<Value, Broken> {
        let start = self.scanner.position;
        self.scanner.position += 2;
        let keys = self.scanner.path('}')?;
        Ok(path_of(&keys).map_or(Value::Unknown, |path| Value::Reference(Reference { path, start })))
    }

    fn word(&mut self) -> Value {
        let start = self.scanner.position;
        match read_word(&self.scanner.word()) {
            Ok(printed) => Value::Single(printed),
            Err(error) => {
                self.scanner.note(start + error.offset, error.kind);
                Value::Unknown
            }
        }
    }
}

/// Returns the path, None if there was an error in one of the keys.
fn path_of(keys: &[Key]) -> Option<Path> {
    keys.iter().map(|key| key.text.clone()).collect()
}
