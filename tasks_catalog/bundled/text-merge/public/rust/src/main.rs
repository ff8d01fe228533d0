//! Merges edited texts: blocks of lines in, results out.

mod answers;
mod counts;
mod merging;
mod reader;

use std::io::{self, Read, Write};

fn main() -> io::Result<()> {
    let mut input = Vec::new();
    io::stdin().lock().read_to_end(&mut input)?;
    let input = String::from_utf8_lossy(&input);
    let mut lines: Vec<&str> = input.split('\n').collect();
    if lines.last() == Some(&"") {
        lines.pop();
    }
    io::stdout().lock().write_all(answers::answers(&lines).as_bytes())
}
