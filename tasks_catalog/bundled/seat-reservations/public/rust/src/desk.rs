//! Carries out steps.

use std::collections::HashMap;

use crate::venue::{Venue, BOOKED, FREE, HELD};

const REFUSED: &str = "refused bad_step";

/// Keeps the venues and which one each client is in; answers one line after the other.
#[derive(Default)]
pub struct Desk {
    venues: HashMap<String, Venue>,
    venue_of: HashMap<String, String>,
}

impl Desk {
    pub fn answer(&mut self, line: &str) -> Vec<String> {
        let fields: Vec<&str> = line.split(' ').collect();
        if fields.len() < 3 {
            return vec![REFUSED.to_string()];
        }
        if fields[0] == "venue" {
            return vec![self.open_venue(fields[1], &fields[3..])];
        }
        let answer = self.carry_out(fields[0], fields[2], &fields[3..]);
        vec![answer.unwrap_or_else(|| REFUSED.to_string())]
    }

    fn open_venue(&mut self, name: &str, rows: &[&str]) -> String {
        let mut venue = Venue::default();
        for field in rows {
            let (row, count) = field.split_once(':').unwrap_or((field, ""));
            venue.add_row(row, number(count));
        }
        let answer = format!("ok {}", venue.seats.len());
        self.venues.insert(name.to_string(), venue);
        answer
    }

    fn carry_out(&mut self, operation: &str, client: &str, rest: &[&str]) -> Option<String> {
        if operation == "begin" {
            return self.begin(client, rest);
        }
        let venue = self.venues.get_mut(self.venue_of.get(client)?)?;
        let after_first = &rest[rest.len().min(1)..];
        match operation {
            "read" => read(venue, rest),
            "hold" => change(venue, after_first, (FREE, ""), (HELD, client)),
            "extend" => change(venue, after_first, (HELD, client), (HELD, client)),
            "release" => change(venue, rest, (HELD, client), (FREE, "")),
            "confirm" => {
                let answer = confirm(venue, client, after_first)?;
                self.venue_of.remove(client);
                Some(answer)
            }
            "cancel" => {
                let freed = venue.free_all_of(client);
                self.venue_of.remove(client);
                Some(ok(&freed))
            }
            "wait" => {
                venue.waiting.push(client.to_string());
                Some(format!("ok {}", venue.waiting.len()))
            }
            _ => None,
        }
    }

    fn begin(&mut self, client: &str, rest: &[&str]) -> Option<String> {
        let (name, _) = self.venues.get_key_value(*rest.first()?)?;
        self.venue_of.insert(client.to_string(), name.clone());
        Some("ok".to_string())
    }
}

fn read(venue: &mut Venue, names: &[&str]) -> Option<String> {
    let mut answers = Vec::new();
    for name in names {
        let seat = venue.seat(name)?;
        answers.push(format!("{}={}/{}", name, seat.status, seat.version));
    }
    Some(ok(&answers))
}

fn change(
    venue: &mut Venue,
    names: &[&str],
    (status, owner): (&str, &str),
    (new_status, new_owner): (&'static str, &str),
) -> Option<String> {
    for name in names {
        let seat = venue.seat(name)?;
        if seat.status != status || seat.client != owner {
            return None;
        }
        if new_status != status {
            seat.change(new_status, new_owner);
        }
    }
    Some(ok(names))
}

fn confirm(venue: &mut Venue, client: &str, names: &[&str]) -> Option<String> {
    for name in names {
        let seat = venue.seat(name)?;
        if seat.status == BOOKED {
            return None;
        }
        seat.change(BOOKED, client);
    }
    venue.free_all_of(client);
    Some(ok(names))
}

/// The number that a field holds; 0 if it holds none.
fn number(text: &str) -> usize {
    if text.len() > 2 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return 0;
    }
    text.parse().unwrap_or(0)
}

fn ok<T: AsRef<str>>(parts: &[T]) -> String {
    let mut line = "ok".to_string();
    for part in parts {
        line.push(' ');
        line.push_str(part.as_ref());
    }
    line
}
