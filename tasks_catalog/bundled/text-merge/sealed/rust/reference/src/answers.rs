//! From input lines to what is written.

use crate::lines::ending;
use crate::merging::merged;
use crate::reader::{Block, Reader};

/// Returns the answers to all blocks.
pub fn answers(lines: &[&str]) -> String {
    let mut written = String::new();
    let mut reader = Reader::new(lines);
    while !reader.at_end() {
        match reader.next_block() {
            Ok(block) => written += &result(&block),
            Err(refusal) => written += &format!("refused {} {}\n", refusal.line, refusal.kind),
        }
    }
    written
}

fn result(block: &Block) -> String {
    let (lines, counts) = merged(block);
    let unfinished = lines.last().map_or(false, |line| ending(line).is_empty());
    let (word, end) = if unfinished { (" unfinished", "\n") } else { ("", "") };
    let head = format!("result {} {}{}\n", block.name, lines.len(), word);
    format!("{}{}{}counts {}\n", head, lines.concat(), end, counts.text())
}
