//! Moves through a document and reads keys, paths, strings and words.

use crate::document::Mistake;
use crate::source::Source;

const ENDS_WORD: &str = " \t\n\"#$,=[]{}\\";
const NOT_FLUSH: &str = " \t]#\n";
const LAST_CHARACTER: u32 = 0x10FFFF;
const MOST_HEX_DIGITS: usize = 6;

/// The statement cannot be read on. Its error was noted, the place is where reading goes on.
pub struct Broken;

/// `text` is None if there was an error in it.
pub struct Key {
    pub text: Option<String>,
    pub start: usize,
}

/// `errors` are in the order in which they were found.
pub struct Scanner {
    source: Source,
    pub errors: Vec<Mistake>,
    pub position: usize,
    pub open_lists: usize,
}

impl Scanner {
    pub fn new(source: Source) -> Scanner {
        Scanner { source, errors: Vec::new(), position: 0, open_lists: 0 }
    }

    pub fn here(&self) -> Option<char> {
        self.source.at(self.position)
    }

    pub fn next(&self) -> Option<char> {
        self.source.at(self.position + 1)
    }

    pub fn is_at(&self, character: char) -> bool {
        self.here() == Some(character)
    }

    fn is_at_any(&self, set: &str) -> bool {
        matches!(self.here(), Some(character) if set.contains(character))
    }

    pub fn note(&mut self, index: usize, kind: &'static str) {
        let (line, column) = self.source.place(index);
        self.errors.push(Mistake { line, column, kind });
    }

    /// Notes an error that breaks the statement and skips to where reading goes on.
    pub fn fail<T>(&mut self, index: usize, kind: &'static str) -> Result<T, Broken> {
        self.note(index, kind);
        self.skip();
        Err(Broken)
    }

    fn skip(&mut self) {
        loop {
            while !self.at_line_end() {
                self.position += 1;
            }
            let goes_on = self.position > 0 && self.source.at(self.position - 1) == Some('\\');
            if self.here().is_none() {
                return;
            }
            self.position += 1;
            if !goes_on && (self.open_lists == 0 || self.flush()) {
                return;
            }
        }
    }

    pub fn at_line_end(&self) -> bool {
        self.here().is_none() || self.is_at('\n')
    }

    /// Tells, at the start of a line, whether it can only be the start of a statement.
    fn flush(&self) -> bool {
        self.here().is_some() && !self.is_at_any(NOT_FLUSH)
    }

    pub fn blanks(&mut self) {
        loop {
            if self.is_at(' ') || self.is_at('\t') {
                self.position += 1;
            } else if self.is_at('\\') && self.next() == Some('\n') {
                self.position += 2;
            } else {
                return;
            }
        }
    }

    fn comment(&mut self) {
        if self.is_at('#') {
            while !self.at_line_end() {
                self.position += 1;
            }
        }
    }

    /// Skips blanks, comments and line ends in the list that was opened there.
    pub fn space_in_list(&mut self, opening: usize) -> Result<(), Broken> {
        loop {
            self.blanks();
            self.comment();
            if self.here().is_none() {
                self.note(opening, "unclosed-list");
                return Err(Broken);
            }
            if !self.is_at('\n') {
                return Ok(());
            }
            self.position += 1;
            if self.flush() {
                self.note(opening, "unclosed-list");
                return Err(Broken);
            }
        }
    }

    /// Reads the end of a statement.
    pub fn end(&mut self) -> Result<(), Broken> {
        self.blanks();
        self.comment();
        if !self.at_line_end() {
            return self.fail(self.position, "expected-end");
        }
        self.position += 1;
        Ok(())
    }

    /// Reads keys up to and with the closing character.
    pub fn path(&mut self, close: char) -> Result<Vec<Key>, Broken> {
        let mut keys = Vec::new();
        loop {
            self.blanks();
            keys.push(self.key()?);
            self.blanks();
            if self.is_at(close) {
                self.position += 1;
                return Ok(keys);
            }
            if !self.is_at('.') {
                return self.fail(self.position, "expected-close");
            }
            self.position += 1;
        }
    }

    pub fn key(&mut self) -> Result<Key, Broken> {
        let start = self.position;
        if self.is_at('"') {
            return Ok(Key { text: self.string()?, start });
        }
        while matches!(self.here(), Some(character) if is_bare(character)) {
            self.position += 1;
        }
        if self.position == start {
            return self.fail(start, "expected-key");
        }
        Ok(Key { text: Some(self.source.slice(start, self.position)), start })
    }

    /// Returns the text of a string, None if there was an error in it.
    pub fn string(&mut self) -> Result<Option<String>, Broken> {
        let opening = self.position;
        self.position += 1;
        let mut text = String::new();
        let mut mistakes = Vec::new();
        while !self.is_at('"') {
            if self.at_line_end() {
                return self.fail(opening, "unclosed-string");
            }
            let start = self.position;
            match self.character() {
                Some(character) => text.push(character),
                None => mistakes.push(start),
            }
        }
        self.position += 1;
        for &start in &mistakes {
            let is_escape = self.source.at(start) == Some('\\');
            self.note(start, if is_escape { "bad-escape" } else { "control-character" });
        }
        Ok(if mistakes.is_empty() { Some(text) } else { None })
    }

    /// Returns the next character of a string, None if it may not stand there.
    fn character(&mut self) -> Option<char> {
        let character = self.here()?;
        self.position += 1;
        if character == '\\' {
            return self.escape();
        }
        if is_control(character) && character != '\t' {
            return None;
        }
        Some(character)
    }

    fn escape(&mut self) -> Option<char> {
        if self.at_line_end() {
            return None;
        }
        let letter = self.here()?;
        self.position += 1;
        match letter {
            'n' => return Some('\n'),
            't' => return Some('\t'),
            '"' | '\\' => return Some(letter),
            _ => {}
        }
        if letter != 'u' || !self.is_at('{') {
            return None;
        }
        self.position += 1;
        let start = self.position;
        while matches!(self.here(), Some(character) if character.is_ascii_hexdigit()) {
            self.position += 1;
        }
        let digits = self.source.slice(start, self.position);
        if !self.is_at('}') {
            return None;
        }
        self.position += 1;
        if digits.is_empty() || digits.len() > MOST_HEX_DIGITS {
            return None;
        }
        let number = u32::from_str_radix(&digits, 16).ok()?;
        if number > LAST_CHARACTER || is_surrogate(number) {
            return None;
        }
        char::from_u32(number)
    }

    /// Tells whether a word can start here.
    pub fn at_word(&self) -> bool {
        self.here().is_some() && !self.is_at_any(ENDS_WORD)
    }

    pub fn word(&mut self) -> String {
        let start = self.position;
        while self.at_word() {
            self.position += 1;
        }
        self.source.slice(start, self.position)
    }
}

pub fn is_bare(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_' || character == '-'
}

pub fn is_control(character: char) -> bool {
    character < ' ' || character == '\x7f'
}

fn is_surrogate(number: u32) -> bool {
    (0xD800..=0xDFFF).contains(&number)
}
