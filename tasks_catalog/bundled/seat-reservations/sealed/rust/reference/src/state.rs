//! All that steps can change, and what time does to it.

use std::collections::HashMap;
use std::rc::Rc;

use crate::venue::{Seat, Status, Venue};

/// `venue` is a place in `State::venues`; `known` maps the name of a seat to the version that the
/// transaction knows.
#[derive(Clone)]
pub struct Transaction {
    pub venue: usize,
    pub known: HashMap<String, u64>,
}

impl Transaction {
    pub fn learn(&mut self, seat: &Seat) {
        self.known.insert(seat.name.clone(), seat.version);
    }
}

/// `tickets` maps a client and a ticket to the seats that were confirmed with it.
#[derive(Clone, Default)]
pub struct State {
    pub clock: u64,
    pub venues: Vec<Venue>,
    pub transactions: HashMap<String, Transaction>,
    pub tickets: HashMap<(String, String), Vec<String>>,
}

impl State {
    pub fn venue(&self, name: &str) -> Option<usize> {
        self.venues.iter().position(|venue| venue.name == name)
    }

    /// Lets all holds expire that end up to `at`; returns the event lines.
    pub fn advance(&mut self, at: u64) -> Vec<String> {
        let mut events = Vec::new();
        while let Some(due) = self.next_expiry().filter(|&due| due <= at) {
            for place in 0..self.venues.len() {
                events.extend(self.expire(place, due));
            }
        }
        self.clock = at;
        events
    }

    /// Grants each wish on the waiting list that can be met now; returns the event lines.
    pub fn promote(&mut self, place: usize, at: u64) -> Vec<String> {
        let venue = &mut self.venues[place];
        let mut events = Vec::new();
        for wish in venue.waiting.iter().map(Rc::clone).collect::<Vec<_>>() {
            let seats = venue.available(&wish);
            if seats.is_empty() || venue.would_exceed(&wish.client, seats.len()) {
                continue;
            }
            venue.forget_wish(&wish.client);
            let until = at + wish.lasting;
            for &seat in &seats {
                venue.seats[seat].hold(&wish.client, until);
                if let Some(transaction) = self.transactions.get_mut(&wish.client) {
                    transaction.learn(&venue.seats[seat]);
                }
            }
            let names = venue.list(&seats);
            events.push(format!("promoted {} {} {} {}{}", at, venue.name, wish.client, until, names));
        }
        events
    }

    fn next_expiry(&self) -> Option<u64> {
        let seats = self.venues.iter().flat_map(|venue| &venue.seats);
        seats.filter(|seat| seat.status == Status::Held).map(|seat| seat.until).min()
    }

    fn expire(&mut self, place: usize, due: u64) -> Vec<String> {
        let mut events = Vec::new();
        for seat in 0..self.venues[place].seats.len() {
            let venue = &mut self.venues[place];
            let seat = &mut venue.seats[seat];
            if seat.status == Status::Held && seat.until == due {
                events.push(format!("expired {} {} {} {}", due, venue.name, seat.name, seat.client));
                seat.free();
            }
        }
        events.extend(self.promote(place, due));
        events
    }
}
