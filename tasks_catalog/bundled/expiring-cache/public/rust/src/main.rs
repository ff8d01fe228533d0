//! Plays commands through the model of a cache: lines in, lines out.

mod cache;
mod store;

use std::io::{self, Read, Write};

use cache::Cache;

fn main() -> io::Result<()> {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input)?;
    let mut lines: Vec<&str> = input.split('\n').collect();
    if lines.last() == Some(&"") {
        lines.pop();
    }
    let mut out = io::BufWriter::new(io::stdout());
    let mut cache = Cache::default();
    for line in lines {
        for answer in cache.answer(line) {
            writeln!(out, "{}", answer)?;
        }
    }
    out.flush()
}
