//! Carries out commands.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use crate::clash::clashes;
use crate::dates::{day_number, instant_text, minute_text};
use crate::fields::Fields;
use crate::refusal::Refused;
use crate::rule::{End, Ordinal, Rule};
use crate::series::{Occurrence, Series};
use crate::zone::{Transition, Zone};

const MOST_MINUTES: i64 = 10080;
const MOST_INTERVAL: i64 = 1000;
const MOST_OCCURRENCES: i64 = 10000;
const TRANSITION_GAP: i64 = 48 * 60;

type Lines = Result<Vec<String>, Refused>;

/// Keeps zones and series; answers one command after the other.
#[derive(Default)]
pub struct Planner {
    zones: HashMap<String, Rc<Zone>>,
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
            "skip" => self.skip(&words[1..]),
            "move" => self.shift(&words[1..]),
            "restore" => self.restore(&words[1..]),
            "list" => self.list(&words[1..]),
            "conflicts" => self.conflicts(&words[1..]),
            _ => Err(Refused("unknown_command")),
        };
        lines.unwrap_or_else(|refusal| vec![format!("refused {}", refusal.0)])
    }

    fn zone(&mut self, words: &[&str]) -> Lines {
        expect(words.len() >= 2)?;
        let mut fields = Fields::default();
        let (name, offset) = (fields.name(words[0]), fields.offset(words[1]));
        let transitions: Vec<Transition> =
            words[2..].iter().map(|word| fields.transition(word)).collect();
        fields.settle()?;
        if transitions.windows(2).any(|pair| pair[1].at < pair[0].at + TRANSITION_GAP) {
            return Err(Refused("transition_order"));
        }
        if self.zones.contains_key(&name) {
            return Err(Refused("zone_exists"));
        }
        let answer = format!("zone {} {}", name, transitions.len());
        self.zones.insert(name, Rc::new(Zone { offset, transitions }));
        Ok(vec![answer])
    }

    fn meeting(&mut self, words: &[&str]) -> Lines {
        expect(words.len() >= 8)?;
        let mut fields = Fields::default();
        let (name, zone) = (fields.name(words[0]), fields.name(words[1]));
        let (start, minutes) = (fields.local(words[2]), fields.number(words[3], MOST_MINUTES));
        let (rule_words, end_words) = words[4..].split_at(words.len() - 6);
        let rule = read_rule(&mut fields, rule_words)?;
        let end = read_end(&mut fields, end_words)?;
        fields.settle()?;
        if self.series.contains_key(&name) {
            return Err(Refused("series_exists"));
        }
        let zone = self.zones.get(&zone).ok_or(Refused("unknown_zone"))?;
        let found = rule.originals(start, &end);
        if found.is_empty() {
            return Err(Refused("no_occurrence"));
        }
        let (first, last) = (minute_text(found[0]), minute_text(found[found.len() - 1]));
        let answer = format!("meeting {} {} {} {}", name, found.len(), first, last);
        self.series.insert(name, Series::new(Rc::clone(zone), minutes, &found));
        Ok(vec![answer])
    }

    fn skip(&mut self, words: &[&str]) -> Lines {
        expect(words.len() == 2)?;
        let mut fields = Fields::default();
        let (name, original) = (fields.name(words[0]), fields.local(words[1]));
        fields.settle()?;
        self.known_mut(&name)?.skip(original)?;
        Ok(vec![format!("skipped {} {}", name, words[1])])
    }

    fn shift(&mut self, words: &[&str]) -> Lines {
        expect(words.len() == 3 || words.len() == 4)?;
        let mut fields = Fields::default();
        let (name, original) = (fields.name(words[0]), fields.local(words[1]));
        let local = fields.local(words[2]);
        let minutes = words.get(3).map(|word| fields.number(word, MOST_MINUTES));
        fields.settle()?;
        let series = self.known_mut(&name)?;
        series.shift(original, local, minutes)?;
        let start = series.occurrence(original)?.start;
        Ok(vec![format!("moved {} {} {}", name, words[1], instant_text(start))])
    }

    fn restore(&mut self, words: &[&str]) -> Lines {
        expect(words.len() == 2)?;
        let mut fields = Fields::default();
        let (name, original) = (fields.name(words[0]), fields.local(words[1]));
        fields.settle()?;
        let series = self.known_mut(&name)?;
        series.restore(original)?;
        let start = series.occurrence(original)?.start;
        Ok(vec![format!("restored {} {} {}", name, words[1], instant_text(start))])
    }

    fn list(&mut self, words: &[&str]) -> Lines {
        expect(words.len() >= 2)?;
        let mut fields = Fields::default();
        let (start, end) = (fields.instant(words[0]), fields.instant(words[1]));
        let names: Vec<String> = words[2..].iter().map(|word| fields.name(word)).collect();
        fields.settle()?;
        check_window(start, end)?;
        let mut chosen: Vec<String> = names.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
        if chosen.is_empty() {
            chosen = self.series.keys().cloned().collect();
        }
        let mut found: Vec<(&str, &Series, Occurrence)> = Vec::new();
        for name in &chosen {
            let series = self.known(name)?;
            let overlapping = series.overlapping(start, end);
            found.extend(overlapping.into_iter().map(|o| (name.as_str(), series, o)));
        }
        found.sort_by_key(|(name, _, o)| (o.start, o.end, *name, o.original));
        let mut lines = vec![format!("list {}", found.len())];
        lines.extend(found.iter().map(|(name, series, o)| occurrence_line(name, &series.zone, o)));
        Ok(lines)
    }

    fn conflicts(&mut self, words: &[&str]) -> Lines {
        expect(words.len() == 4)?;
        let mut fields = Fields::default();
        let (first, second) = (fields.name(words[0]), fields.name(words[1]));
        let (start, end) = (fields.instant(words[2]), fields.instant(words[3]));
        fields.settle()?;
        check_window(start, end)?;
        let (one, other) = (self.known(&first)?, self.known(&second)?);
        if first == second {
            return Err(Refused("same_series"));
        }
        let found = clashes(one, other, start, end);
        let mut lines = vec![format!("conflicts {}", found.len())];
        lines.extend(found.iter().map(|clash| {
            let span = format!("{} {}", instant_text(clash.begin), instant_text(clash.finish));
            format!("{} {} {}", span, minute_text(clash.first), minute_text(clash.second))
        }));
        Ok(lines)
    }

    fn known(&self, name: &str) -> Result<&Series, Refused> {
        self.series.get(name).ok_or(Refused("unknown_series"))
    }

    fn known_mut(&mut self, name: &str) -> Result<&mut Series, Refused> {
        self.series.get_mut(name).ok_or(Refused("unknown_series"))
    }
}

fn read_rule(fields: &mut Fields, words: &[&str]) -> Result<Rule, Refused> {
    let interval = fields.number(words[1], MOST_INTERVAL);
    match (words[0], &words[2..]) {
        ("daily", []) => Ok(Rule::Daily(interval)),
        ("weekly", [weekdays]) => Ok(Rule::Weekly(interval, fields.weekdays(weekdays))),
        ("monthly", ["day", day]) => Ok(Rule::MonthlyDay(interval, fields.number(day, 31))),
        ("monthly", ["nth", "last", weekday]) => {
            Ok(Rule::MonthlyWeekday(interval, Ordinal::Last, fields.weekday(weekday)))
        }
        ("monthly", ["nth", number, weekday]) => {
            let ordinal = Ordinal::Number(fields.number(number, 5));
            Ok(Rule::MonthlyWeekday(interval, ordinal, fields.weekday(weekday)))
        }
        _ => Err(Refused("wrong_arguments")),
    }
}

fn read_end(fields: &mut Fields, words: &[&str]) -> Result<End, Refused> {
    match words {
        ["count", count] => {
            let count = fields.number(count, MOST_OCCURRENCES) as usize;
            Ok(End { count, last_day: day_number(2199, 12, 31) })
        }
        ["until", date] => Ok(End { count: usize::MAX, last_day: fields.date(date) }),
        _ => Err(Refused("wrong_arguments")),
    }
}

fn expect(right_number: bool) -> Result<(), Refused> {
    if right_number {
        Ok(())
    } else {
        Err(Refused("wrong_arguments"))
    }
}

fn check_window(start: i64, end: i64) -> Result<(), Refused> {
    if start < end {
        Ok(())
    } else {
        Err(Refused("empty_window"))
    }
}

fn occurrence_line(name: &str, zone: &Zone, occurrence: &Occurrence) -> String {
    [
        instant_text(occurrence.start),
        instant_text(occurrence.end),
        name.to_string(),
        minute_text(occurrence.original),
        minute_text(zone.local(occurrence.start)),
        minute_text(zone.local(occurrence.end)),
    ]
    .join(" ")
}
