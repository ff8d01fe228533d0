//! Splits the input into documents.

use std::error::Error;

/// A document of the input.
pub struct Frame {
    pub name: String,
    pub text: String,
}

pub fn frames(data: &[u8]) -> Result<Vec<Frame>, Box<dyn Error>> {
    let mut found = Vec::new();
    let mut rest = data;
    while let Some(line_end) = rest.iter().position(|&byte| byte == b'\n') {
        let line = std::str::from_utf8(&rest[..line_end])?;
        let mut words = line.split(' ').skip(1);
        let name = words.next().ok_or("a document has no name")?.to_string();
        let length: usize = words.next().ok_or("a document has no length")?.parse()?;
        let start = line_end + 1;
        let text = String::from_utf8(rest[start..start + length].to_vec())?;
        found.push(Frame { name, text });
        rest = &rest[start + length + 1..];
    }
    Ok(found)
}
