//! From input lines to blocks.

use std::collections::HashMap;

/// Input that is no block.
pub struct BadInput;

/// One merge; the texts are lines with their line feeds.
pub struct Block {
    pub name: String,
    pub base: Vec<String>,
    pub mine: Vec<String>,
    pub theirs: Vec<String>,
}

/// Takes the blocks from the input.
pub struct Reader<'a> {
    lines: &'a [&'a str],
    next: usize,
}

impl<'a> Reader<'a> {
    pub fn new(lines: &'a [&'a str]) -> Reader<'a> {
        Reader { lines, next: 0 }
    }

    pub fn at_end(&self) -> bool {
        self.next == self.lines.len()
    }

    /// Returns the next block; or an error, and then it has passed over what is wrong.
    pub fn next_block(&mut self) -> Result<Block, BadInput> {
        let block = self.block();
        if block.is_err() {
            self.pass_over();
        }
        block
    }

    fn block(&mut self) -> Result<Block, BadInput> {
        let words: Vec<&str> = self.take()?.split(' ').collect();
        match words[..] {
            ["merge", name] => self.sections(name),
            _ => Err(BadInput),
        }
    }

    fn sections(&mut self, name: &str) -> Result<Block, BadInput> {
        let mut sections: HashMap<&str, Vec<String>> = HashMap::new();
        loop {
            let line = self.take()?;
            if line == "end" {
                break;
            }
            let words: Vec<&str> = line.split(' ').collect();
            match words[..] {
                [section @ ("base" | "mine" | "theirs"), count] => {
                    sections.insert(section, self.text(number(count)?)?);
                }
                _ => return Err(BadInput),
            }
        }
        let mut text = |section| sections.remove(section).ok_or(BadInput);
        Ok(Block { name: name.to_string(), base: text("base")?, mine: text("mine")?, theirs: text("theirs")? })
    }

    fn text(&mut self, count: usize) -> Result<Vec<String>, BadInput> {
        (0..count).map(|_| Ok(format!("{}\n", self.take()?))).collect()
    }

    fn take(&mut self) -> Result<&'a str, BadInput> {
        let line = *self.lines.get(self.next).ok_or(BadInput)?;
        self.next += 1;
        Ok(line)
    }

    fn pass_over(&mut self) {
        while self.lines[self.next - 1] != "end" && !self.at_end() {
            self.next += 1;
        }
    }
}

fn number(word: &str) -> Result<usize, BadInput> {
    if word.len() > 4 || !word.bytes().all(|b| b.is_ascii_digit()) {
        return Err(BadInput);
    }
    word.parse().map_err(|_| BadInput)
}
