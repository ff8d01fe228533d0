//! Reads settings documents from standard input, prints the settings or the errors of each.

mod document;
mod durations;
mod frames;
mod given;
mod integers;
mod printing;
mod reading;
mod references;
mod report;
mod scanner;
mod source;
mod values;
mod words;

use std::error::Error;
use std::io::{self, Read, Write};

fn main() -> Result<(), Box<dyn Error>> {
    let mut data = Vec::new();
    io::stdin().read_to_end(&mut data)?;
    let stdout = io::stdout();
    let mut output = stdout.lock();
    for frame in frames::frames(&data)? {
        let document = reading::read(&frame.text);
        output.write_all(report::report(&frame.name, document).as_bytes())?;
    }
    output.flush()?;
    Ok(())
}
