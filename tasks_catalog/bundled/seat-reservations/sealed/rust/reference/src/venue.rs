//! A venue: its seats and its waiting list.

use std::rc::Rc;

use crate::step::Step;

#[derive(Clone, Copy, PartialEq)]
pub enum Status {
    Free,
    Held,
    Booked,
}

impl Status {
    pub fn word(self) -> &'static str {
        match self {
            Status::Free => "free",
            Status::Held => "held",
            Status::Booked => "booked",
        }
    }
}

/// A numbered seat. `client` and `until` mean something only while the status calls for them.
#[derive(Clone)]
pub struct Seat {
    pub row: String,
    pub name: String,
    pub status: Status,
    pub client: String,
    pub until: u64,
    pub version: u64,
}

impl Seat {
    pub fn new(row: &str, number: u64) -> Seat {
        Seat {
            row: row.to_string(),
            name: format!("{}{}", row, number),
            status: Status::Free,
            client: String::new(),
            until: 0,
            version: 0,
        }
    }

    pub fn is_free(&self) -> bool {
        self.status == Status::Free
    }

    pub fn is_held_by(&self, client: &str) -> bool {
        self.status == Status::Held && self.client == client
    }

    pub fn hold(&mut self, client: &str, until: u64) {
        self.change(Status::Held, client, until);
    }

    pub fn book(&mut self, client: &str) {
        self.change(Status::Booked, client, 0);
    }

    pub fn free(&mut self) {
        self.change(Status::Free, "", 0);
    }

    fn change(&mut self, status: Status, client: &str, until: u64) {
        self.status = status;
        self.client = client.to_string();
        self.until = until;
        self.version += 1;
    }
}

/// Seats in plan order, and the `wait` steps that were not granted yet in order of arrival.
///
/// Seats are passed around as places in `seats`.
#[derive(Clone)]
pub struct Venue {
    pub name: String,
    pub limit: usize,
    pub seats: Vec<Seat>,
    pub waiting: Vec<Rc<Step>>,
}

impl Venue {
    pub fn find(&self, name: &str) -> Option<usize> {
        self.seats.iter().position(|seat| seat.name == name)
    }

    pub fn held_by(&self, client: &str) -> Vec<usize> {
        (0..self.seats.len()).filter(|&place| self.seats[place].is_held_by(client)).collect()
    }

    pub fn count_booked_by(&self, client: &str) -> usize {
        let booked = |seat: &&Seat| seat.status == Status::Booked && seat.client == client;
        self.seats.iter().filter(booked).count()
    }

    /// Whether so many seats on top of what the client has are too many.
    pub fn would_exceed(&self, client: &str, wished: usize) -> bool {
        self.held_by(client).len() + self.count_booked_by(client) + wished > self.limit
    }

    pub fn is_waiting(&self, client: &str) -> bool {
        self.waiting.iter().any(|wish| wish.client == client)
    }

    pub fn forget_wish(&mut self, client: &str) {
        self.waiting.retain(|wish| wish.client != client);
    }

    /// The seats that a wish would get now; none if it cannot be met completely.
    pub fn available(&self, wish: &Step) -> Vec<usize> {
        if wish.together > 0 {
            return self.side_by_side(wish.together);
        }
        let places: Vec<usize> = wish.seats.iter().filter_map(|name| self.find(name)).collect();
        if places.iter().all(|&place| self.seats[place].is_free()) {
            places
        } else {
            Vec::new()
        }
    }

    /// The first `count` seats of the shortest gap that is long enough; none if there is no such gap.
    pub fn side_by_side(&self, count: usize) -> Vec<usize> {
        let mut chosen: Vec<usize> = Vec::new();
        for gap in self.gaps() {
            if gap.len() >= count && (chosen.is_empty() || gap.len() < chosen.len()) {
                chosen = gap;
            }
        }
        chosen.truncate(count);
        chosen
    }

    fn gaps(&self) -> Vec<Vec<usize>> {
        let mut gaps = Vec::new();
        let mut gap: Vec<usize> = Vec::new();
        for (place, seat) in self.seats.iter().enumerate() {
            if !gap.is_empty() && (seat.row != self.seats[gap[0]].row || !seat.is_free()) {
                gaps.push(std::mem::take(&mut gap));
            }
            if seat.is_free() {
                gap.push(place);
            }
        }
        if !gap.is_empty() {
            gaps.push(gap);
        }
        gaps
    }

    /// The names of seats, each after a space.
    pub fn list(&self, places: &[usize]) -> String {
        places.iter().map(|&place| format!(" {}", self.seats[place].name)).collect()
    }
}
