//! Answers ledger commands: one command on each line, answers as lines of words.

mod account;
mod book;
mod desk;
mod keys;
mod outcome;
mod request;

use std::io::{self, BufRead, BufWriter, Write};

use crate::desk::Desk;

fn main() -> io::Result<()> {
    let mut input = io::stdin().lock();
    let mut output = BufWriter::new(io::stdout().lock());
    let mut desk = Desk::new();
    let mut bytes = Vec::new();
    while input.read_until(b'\n', &mut bytes)? > 0 {
        let line = String::from_utf8_lossy(&bytes);
        for answer in desk.answer(line.strip_suffix('\n').unwrap_or(&line)) {
            writeln!(output, "{}", answer)?;
        }
        bytes.clear();
    }
    output.flush()
}
