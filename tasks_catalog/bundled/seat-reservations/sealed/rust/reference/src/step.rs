//! Takes a line apart into a step.

use crate::refusal::Refused;

const LONGEST_NAME: usize = 12;
const LATEST: u64 = 1_000_000_000_000;
const LARGEST_LIMIT: u64 = 99;
const LARGEST_COUNT: u64 = 99;

pub struct Row {
    pub name: String,
    pub count: u64,
}

/// The fields of one line; those that its operation lacks are empty.
#[derive(Default)]
pub struct Step {
    pub operation: String,
    pub at: u64,
    pub client: String,
    pub venue: String,
    pub ticket: String,
    pub limit: usize,
    pub until: u64,
    pub lasting: u64,
    pub rows: Vec<Row>,
    pub seats: Vec<String>,
    pub together: usize,
}

impl Step {
    /// How many seats are asked for.
    pub fn wished(&self) -> usize {
        self.together.max(self.seats.len())
    }

    fn take(&mut self, name: &str, text: &str) -> Result<(), Refused> {
        match name {
            "at" => self.at = parse_number(text, 0, LATEST)?,
            "until" => self.until = parse_number(text, 0, LATEST)?,
            "lasting" => self.lasting = parse_number(text, 1, LATEST)?,
            "limit" => self.limit = parse_number(text, 1, LARGEST_LIMIT)? as usize,
            "client" => self.client = parse_name(text)?,
            "venue" => self.venue = parse_name(text)?,
            "ticket" => self.ticket = parse_name(text)?,
            "rows" => self.rows.push(parse_row(text).ok_or_else(|| Refused::new("bad_row"))?),
            "wish" => self.together = parse_together(text).ok_or_else(|| Refused::new("bad_seat"))?,
            _ => self.seats.push(parse_seat(text).ok_or_else(|| Refused::new("bad_seat"))?),
        }
        Ok(())
    }
}

fn layout(operation: &str) -> Option<&'static [&'static str]> {
    Some(match operation {
        "venue" => &["venue", "limit", "rows"],
        "begin" => &["at", "client", "venue"],
        "read" => &["at", "client", "seats"],
        "hold" => &["at", "client", "until", "wish"],
        "extend" => &["at", "client", "until", "seats"],
        "release" => &["at", "client", "seats"],
        "confirm" => &["at", "client", "ticket", "seats"],
        "cancel" => &["at", "client"],
        "wait" => &["at", "client", "lasting", "wish"],
        _ => return None,
    })
}

/// The step of a well-formed line.
pub fn parse(line: &str) -> Result<Step, Refused> {
    if line.is_empty() {
        return Err(Refused::new("empty_line"));
    }
    let mut fields: Vec<&str> = line.split(' ').collect();
    let operation = fields.remove(0);
    let layout = layout(operation).ok_or_else(|| Refused::new("unknown_step"))?;
    let last = layout.len() - 1;
    let repeats = ["rows", "seats", "wish"].contains(&layout[last]);
    if fields.len() < layout.len() || (fields.len() > layout.len() && !repeats) {
        return Err(Refused::new("wrong_fields"));
    }
    let alone = fields.len() == layout.len();
    let mut step = Step { operation: operation.to_string(), ..Step::default() };
    for (position, text) in fields.iter().enumerate() {
        let name = match layout[position.min(last)] {
            "wish" if !alone || !text.starts_with('+') => "seats",
            name => name,
        };
        step.take(name, text)?;
    }
    refuse_duplicates(step.rows.iter().map(|row| &row.name))?;
    refuse_duplicates(step.seats.iter())?;
    Ok(step)
}

fn parse_number(text: &str, least: u64, most: u64) -> Result<u64, Refused> {
    match whole_number(text) {
        Some(number) if least <= number && number <= most => Ok(number),
        _ => Err(Refused::new("bad_number")),
    }
}

fn parse_name(text: &str) -> Result<String, Refused> {
    let length = text.chars().count();
    if length < 1 || length > LONGEST_NAME {
        return Err(Refused::new("bad_name"));
    }
    Ok(text.to_string())
}

fn parse_row(text: &str) -> Option<Row> {
    let (name, digits) = text.split_once(':')?;
    let count = parse_count(digits)?;
    if is_row(name) {
        Some(Row { name: name.to_string(), count })
    } else {
        None
    }
}

fn parse_seat(text: &str) -> Option<String> {
    let digits = text.trim_start_matches(|c: char| c.is_ascii_uppercase());
    parse_count(digits)?;
    if is_row(&text[..text.len() - digits.len()]) {
        Some(text.to_string())
    } else {
        None
    }
}

fn parse_together(text: &str) -> Option<usize> {
    parse_count(text.strip_prefix('+')?).map(|count| count as usize)
}

fn parse_count(text: &str) -> Option<u64> {
    whole_number(text).filter(|count| (1..=LARGEST_COUNT).contains(count))
}

/// Digits without a sign and without leading zeros.
fn whole_number(text: &str) -> Option<u64> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits || (text.starts_with('0') && text != "0") {
        return None;
    }
    text.parse().ok()
}

fn is_row(text: &str) -> bool {
    (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_uppercase())
}

fn refuse_duplicates<'a>(names: impl Iterator<Item = &'a String>) -> Result<(), Refused> {
    let mut seen: Vec<&String> = Vec::new();
    for name in names {
        if seen.contains(&name) {
            return Err(Refused::about("duplicate", name));
        }
        seen.push(name);
    }
    Ok(())
}
