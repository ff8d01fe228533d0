//! Carries out commands.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::dates::{day_number, instant_text, minute_text};
use crate::fields::{self, expect, BadCommand};
use crate::rule::{End, Rule};
use crate::series::{Occurrence, Series};

type Lines = Result<Vec<String>, BadCommand>;

/// Keeps zones and series; answers one command after the other.
#[derive(Default)]
pub struct Planner {
    offsets: HashMap<String, i64>,
    series: BTreeMap<String, Series>,
}

impl Planner {
    pub fn new() -> Planner {
        Planner::default()
    }

    /// Returns the answer lines to a command.
    pub fn answer(&mut self, line: &str) -> Vec<String> {
        let words: Vec<&str> = line.split(' ').collect();
        let lines = match words[0] {
            "zone" => self.zone(&words[1..]),
            "meeting" => self.meeting(&words[1..]),
            "list" => self.list(&words[1..]),
            _ => Err(BadCommand),
        };
        lines.unwrap_or_else(|_| vec!["refused bad_command".to_string()])
    }

    fn zone(&mut self, words: &[&str]) -> Lines {
        expect(words.len() >= 2)?;
        self.offsets.insert(words[0].to_string(), fields::offset(words[1])?);
        Ok(vec![format!("zone {} {}", words[0], words.len() - 2)])
    }

    fn meeting(&mut self, words: &[&str]) -> Lines {
        expect(words.len() >= 8)?;
        let name = words[0];
        let offset = *self.offsets.get(words[1]).ok_or(BadCommand)?;
        let (start, minutes) = (fields::local(words[2])?, fields::number(words[3])?);
        let (rule_words, end_words) = words[4..].split_at(words.len() - 6);
        let originals = read_rule(rule_words)?.originals(start, &read_end(end_words)?);
        expect(!originals.is_empty())?;
        let (first, last) = (originals[0], originals[originals.len() - 1]);
        let ends = format!("{} {}", minute_text(first), minute_text(last));
        let answer = format!("meeting {} {} {}", name, originals.len(), ends);
        self.series.insert(name.to_string(), Series { offset, minutes, originals });
        Ok(vec![answer])
    }

    fn list(&mut self, words: &[&str]) -> Lines {
        expect(words.len() >= 2)?;
        let (start, end) = (fields::instant(words[0])?, fields::instant(words[1])?);
        let named: BTreeSet<&str> = words[2..].iter().copied().collect();
        let mut chosen: Vec<&str> = named.into_iter().collect();
        if chosen.is_empty() {
            chosen = self.series.keys().map(String::as_str).collect();
        }
        let mut found: Vec<(&str, &Series, Occurrence)> = Vec::new();
        for name in chosen {
            let series = self.series.get(name).ok_or(BadCommand)?;
            let overlapping = series.overlapping(start, end);
            found.extend(overlapping.into_iter().map(|o| (name, series, o)));
        }
        found.sort_by_key(|(name, _, o)| (o.start, o.end, *name, o.original));
        let mut lines = vec![format!("list {}", found.len())];
        lines.extend(found.iter().map(|(name, series, o)| occurrence_line(name, series.offset, o)));
        Ok(lines)
    }
}

fn read_rule(words: &[&str]) -> Result<Rule, BadCommand> {
    let interval = fields::number(words[1])?;
    match (words[0], &words[2..]) {
        ("daily", []) => Ok(Rule::Daily(interval)),
        ("weekly", [weekdays]) => Ok(Rule::Weekly(interval, fields::weekdays(weekdays)?)),
        ("monthly", ["day", day]) => Ok(Rule::MonthlyDay(interval, fields::number(day)?)),
        _ => Err(BadCommand),
    }
}

fn read_end(words: &[&str]) -> Result<End, BadCommand> {
    match words {
        ["count", count] => {
            let count = fields::number(count)? as usize;
            Ok(End { count, day: day_number(2199, 12, 31) })
        }
        ["until", date] => Ok(End { count: usize::MAX, day: fields::date(date)? }),
        _ => Err(BadCommand),
    }
}

fn occurrence_line(name: &str, offset: i64, occurrence: &Occurrence) -> String {
    [
        instant_text(occurrence.start),
        instant_text(occurrence.end),
        name.to_string(),
        minute_text(occurrence.original),
        minute_text(occurrence.start + offset),
        minute_text(occurrence.end + offset),
    ]
    .join(" ")
}
