//! From input lines to blocks.

use std::collections::{HashMap, HashSet};

use crate::options::{read_number, Options};
use crate::refusal::Refused;

const LONGEST_NAME: usize = 30;
const LONGEST_TEXT: usize = 2000;

/// One merge; the texts are lines with their endings.
pub struct Block {
    pub name: String,
    pub options: Options,
    pub base: Vec<String>,
    pub mine: Vec<String>,
    pub theirs: Vec<String>,
}

/// The number of the wrong line and what is wrong.
pub struct Refusal {
    pub line: usize,
    pub kind: &'static str,
}

/// Takes the blocks from the input.
pub struct Reader<'a> {
    lines: &'a [&'a str],
    next: usize,
    names: HashSet<&'a str>,
}

impl<'a> Reader<'a> {
    pub fn new(lines: &'a [&'a str]) -> Reader<'a> {
        Reader { lines, next: 0, names: HashSet::new() }
    }

    pub fn at_end(&self) -> bool {
        self.next == self.lines.len()
    }

    /// Returns the next block; or a refusal, and then it has passed over what is refused.
    pub fn next_block(&mut self) -> Result<Block, Refusal> {
        self.block().map_err(|Refused(kind)| {
            let refusal = Refusal { line: self.next, kind };
            if kind != "unknown_command" {
                self.pass_over();
            }
            refusal
        })
    }

    fn block(&mut self) -> Result<Block, Refused> {
        let (name, options) = self.header()?;
        let mut sections = self.sections()?;
        let mut text = |section| sections.remove(section).ok_or(Refused("missing_section"));
        let (base, mine, theirs) = (text("base")?, text("mine")?, text("theirs")?);
        self.names.insert(name);
        Ok(Block { name: name.to_string(), options, base, mine, theirs })
    }

    fn header(&mut self) -> Result<(&'a str, Options), Refused> {
        let words: Vec<&str> = self.take()?.split(' ').collect();
        if words[0] != "merge" {
            return Err(Refused("unknown_command"));
        }
        let name = *words.get(1).filter(|name| is_name(name)).ok_or(Refused("bad_name"))?;
        let options = Options::read(&words[2..])?;
        if self.names.contains(name) {
            return Err(Refused("duplicate_name"));
        }
        Ok((name, options))
    }

    fn sections(&mut self) -> Result<HashMap<&'a str, Vec<String>>, Refused> {
        let mut sections = HashMap::new();
        loop {
            let line = self.take()?;
            if line == "end" {
                return Ok(sections);
            }
            let words: Vec<&str> = line.split(' ').collect();
            if !matches!(words[0], "base" | "mine" | "theirs") {
                return Err(Refused("unexpected_line"));
            }
            let (count, unfinished) = read_extent(&words[1..]).ok_or(Refused("bad_section"))?;
            if sections.contains_key(words[0]) {
                return Err(Refused("repeated_section"));
            }
            sections.insert(words[0], self.text(count, unfinished)?);
        }
    }

    fn text(&mut self, count: usize, unfinished: bool) -> Result<Vec<String>, Refused> {
        let mut text = Vec::new();
        while text.len() < count {
            let end = if unfinished && text.len() == count - 1 { "" } else { "\n" };
            text.push(format!("{}{}", self.take()?, end));
        }
        Ok(text)
    }

    fn take(&mut self) -> Result<&'a str, Refused> {
        let line = *self.lines.get(self.next).ok_or(Refused("end_of_input"))?;
        self.next += 1;
        Ok(line)
    }

    /// Goes on behind the next `end`, which may be the line that was taken last.
    fn pass_over(&mut self) {
        while self.lines[self.next - 1] != "end" && !self.at_end() {
            self.next += 1;
        }
    }
}

fn is_name(word: &str) -> bool {
    let known = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-._".contains(&b);
    (1..=LONGEST_NAME).contains(&word.len()) && word.bytes().all(known)
}

/// Returns the number of lines and whether the last one is unfinished.
fn read_extent(words: &[&str]) -> Option<(usize, bool)> {
    match words {
        [count] => Some((read_number(count, LONGEST_TEXT)?, false)),
        [count, "unfinished"] => {
            let count = read_number(count, LONGEST_TEXT).filter(|count| *count > 0)?;
            Some((count, true))
        }
        _ => None,
    }
}
