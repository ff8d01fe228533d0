//! From input lines to what is written.

use crate::merging::merged;
use crate::reader::{Block, Reader};

/// Returns the answers to all blocks.
pub fn answers(lines: &[&str]) -> String {
    let mut written = String::new();
    let mut reader = Reader::new(lines);
    while !reader.at_end() {
        match reader.next_block() {
            Ok(block) => written += &result(&block),
            Err(_) => written += "refused bad_input\n",
        }
    }
    written
}

fn result(block: &Block) -> String {
    let (lines, counts) = merged(block);
    let head = format!("result {} {}\n", block.name, lines.len());
    format!("{}{}counts {}\n", head, lines.concat(), counts.text())
}
