//! The characters of a document.

const BYTE_ORDER_MARK: char = '\u{feff}';

/// Characters by index, every line end a single line feed, without the byte order mark.
pub struct Source {
    characters: Vec<char>,
}

impl Source {
    pub fn new(text: &str) -> Source {
        let unmarked = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        Source { characters: unmarked.replace("\r\n", "\n").chars().collect() }
    }

    /// Returns the character there, None behind the last one.
    pub fn at(&self, index: usize) -> Option<char> {
        self.characters.get(index).copied()
    }

    pub fn slice(&self, start: usize, end: usize) -> String {
        self.characters[start..end].iter().collect()
    }

    /// Returns line and column of a character, both from 1.
    pub fn place(&self, index: usize) -> (usize, usize) {
        let mut line = 1;
        let mut column = 1;
        for &character in &self.characters[..index] {
            column += 1;
            if character == '\n' {
                line += 1;
                column = 1;
            }
        }
        (line, column)
    }
}
