//! Answers circuit breaker requests: JSON lines in, JSON lines out.

mod breaker;
mod guard;
mod json;

use std::io::{self, BufRead, BufWriter, Write};

use crate::guard::Guard;

fn main() -> io::Result<()> {
    let mut input = io::stdin().lock();
    let mut output = BufWriter::new(io::stdout().lock());
    let mut guard = Guard::new();
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        let answer = guard.answer(&String::from_utf8_lossy(&line));
        writeln!(output, "{}", answer)?;
        line.clear();
    }
    output.flush()
}
