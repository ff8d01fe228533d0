//! Plans meetings that repeat: commands in, answers out, a line each.

mod dates;
mod fields;
mod planner;
mod rule;
mod series;

use std::io::{self, BufRead, BufWriter, Write};

use planner::Planner;

fn main() -> io::Result<()> {
    let mut answers = BufWriter::new(io::stdout().lock());
    let mut planner = Planner::new();
    for line in io::stdin().lock().split(b'\n') {
        let line = String::from_utf8_lossy(&line?).into_owned();
        for answer in planner.answer(&line) {
            answers.write_all(answer.as_bytes())?;
            answers.write_all(b"\n")?;
        }
    }
    answers.flush()
}
