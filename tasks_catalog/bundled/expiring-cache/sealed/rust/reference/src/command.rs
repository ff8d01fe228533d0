//! Takes a line apart into a command.

use crate::refusal::Refused;

const LARGEST: u64 = 1_000_000_000_000;
const LARGEST_CHARS: u64 = 1000;
const LONGEST_TAG: usize = 10;

/// The fields of one line; those that the command lacks are empty.
#[derive(Default)]
pub struct Command {
    pub name: String,
    pub at: u64,
    pub bytes: u64,
    pub chars: usize,
    pub key: String,
    pub slides: bool,
    pub ttl: u64,
    pub stale: u64,
    pub tags: Vec<String>,
    pub value: String,
    pub version: u64,
    pub lease: u64,
    pub ticket: u64,
}

impl Command {
    fn take(&mut self, field: &str, text: &str) -> Result<(), Refused> {
        match field {
            "at" => self.at = parse_number(text, 0, LARGEST)?,
            "bytes" => self.bytes = parse_number(text, 0, LARGEST)?,
            "chars" => self.chars = parse_number(text, 1, LARGEST_CHARS)? as usize,
            "ttl" => self.ttl = parse_number(text, 1, LARGEST)?,
            "stale" => self.stale = parse_number(text, 0, LARGEST)?,
            "version" => self.version = parse_number(text, 0, LARGEST)?,
            "lease" => self.lease = parse_number(text, 1, LARGEST)?,
            "ticket" => self.ticket = parse_number(text, 1, LARGEST)?,
            "key" if text.is_empty() => return Err(Refused::new("bad_key")),
            "key" => self.key = text.to_string(),
            "mode" if text != "abs" && text != "slide" => return Err(Refused::new("bad_mode")),
            "mode" => self.slides = text == "slide",
            "tags" if text == "-" => self.tags = Vec::new(),
            "tags" => self.tags = text.split(',').map(parse_tag).collect::<Result<_, _>>()?,
            "tag" => self.tags = vec![parse_tag(text)?],
            _ => self.value = text.to_string(),
        }
        Ok(())
    }
}

fn layout(name: &str) -> Option<&'static [&'static str]> {
    Some(match name {
        "cache" => &["bytes", "chars"],
        "set" => &["at", "key", "mode", "ttl", "stale", "tags", "value"],
        "absent" => &["at", "key", "ttl"],
        "cas" => &["at", "key", "version", "mode", "ttl", "stale", "tags", "value"],
        "get" | "touch" | "delete" => &["at", "key"],
        "invalidate" => &["at", "tag"],
        "load" => &["at", "key", "lease"],
        "loaded" => &["at", "key", "ticket", "mode", "ttl", "stale", "tags", "value"],
        "failed" => &["at", "key", "ticket"],
        "resize" => &["at", "bytes"],
        "stats" => &["at"],
        _ => return None,
    })
}

/// The command on a well-formed line.
pub fn parse(line: &str) -> Result<Command, Refused> {
    if line.is_empty() {
        return Err(Refused::new("empty_line"));
    }
    let name = line.split(' ').next().unwrap_or("");
    let layout = layout(name).ok_or_else(|| Refused::new("unknown_command"))?;
    let most_pieces = if layout.last() == Some(&"value") { layout.len() + 1 } else { usize::MAX };
    let fields: Vec<&str> = line.splitn(most_pieces, ' ').skip(1).collect();
    if fields.len() != layout.len() {
        return Err(Refused::new("wrong_fields"));
    }
    let mut command = Command { name: name.to_string(), ..Command::default() };
    for (field, text) in layout.iter().zip(fields) {
        command.take(field, text)?;
    }
    for (position, tag) in command.tags.iter().enumerate() {
        if command.tags[..position].contains(tag) {
            return Err(Refused::about("duplicate_tag", tag));
        }
    }
    Ok(command)
}

/// Digits without a sign and without leading zeros.
fn parse_number(text: &str, least: u64, most: u64) -> Result<u64, Refused> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    if digits && (!text.starts_with('0') || text == "0") {
        if let Ok(number) = text.parse() {
            if least <= number && number <= most {
                return Ok(number);
            }
        }
    }
    Err(Refused::new("bad_number"))
}

fn parse_tag(text: &str) -> Result<String, Refused> {
    let plain = text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    if !plain || text.is_empty() || text.len() > LONGEST_TAG {
        return Err(Refused::new("bad_tags"));
    }
    Ok(text.to_string())
}
