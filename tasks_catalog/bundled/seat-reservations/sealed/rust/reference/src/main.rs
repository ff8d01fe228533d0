//! Carries out a schedule of booking steps: lines in, lines out.

mod desk;
mod refusal;
mod state;
mod step;
mod venue;

use std::io::{self, Read, Write};

use desk::Desk;

fn main() -> io::Result<()> {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input)?;
    let mut lines: Vec<&str> = input.split('\n').collect();
    if lines.last() == Some(&"") {
        lines.pop();
    }
    let mut out = io::BufWriter::new(io::stdout());
    let mut desk = Desk::default();
    for line in lines {
        for answer in desk.answer(line) {
            writeln!(out, "{}", answer)?;
        }
    }
    out.flush()
}
