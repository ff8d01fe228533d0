//! Carries out steps.

use std::collections::HashMap;
use std::rc::Rc;

use crate::refusal::Refused;
use crate::state::{State, Transaction};
use crate::step::{parse, Step};
use crate::venue::{Seat, Venue};

/// Answers one line after the other.
///
/// A step works on a copy of the state, which replaces the state if the step is carried out: a
/// refused step must leave no trace, not even of the time that passed before it was judged.
#[derive(Default)]
pub struct Desk {
    state: State,
}

impl Desk {
    /// The answer line of a step, with its event lines around it.
    pub fn answer(&mut self, line: &str) -> Vec<String> {
        match parse(line).and_then(|step| self.try_out(step)) {
            Ok(lines) => lines,
            Err(Refused(answer)) => vec![answer],
        }
    }

    fn try_out(&mut self, step: Step) -> Result<Vec<String>, Refused> {
        let mut state = self.state.clone();
        let lines = carry_out(&mut state, Rc::new(step))?;
        self.state = state;
        Ok(lines)
    }
}

fn carry_out(state: &mut State, step: Rc<Step>) -> Result<Vec<String>, Refused> {
    if step.operation == "venue" {
        return Ok(vec![open_venue(state, &step)?]);
    }
    if step.at < state.clock {
        return Err(Refused::new("time_backwards"));
    }
    let at = step.at;
    let mut lines = state.advance(at);
    lines.push(answer(state, step)?);
    for place in 0..state.venues.len() {
        lines.extend(state.promote(place, at));
    }
    Ok(lines)
}

fn answer(state: &mut State, step: Rc<Step>) -> Result<String, Refused> {
    if step.operation == "begin" {
        return begin(state, &step);
    }
    if step.operation == "confirm" {
        if let Some(confirmed) = state.tickets.get(&ticket_key(&step)) {
            return confirm_again(confirmed, &step);
        }
    }
    let State { venues, transactions, .. } = state;
    let transaction = transactions.get_mut(&step.client).ok_or_else(|| Refused::new("not_open"))?;
    let venue = &mut venues[transaction.venue];
    match step.operation.as_str() {
        "read" => read(transaction, venue, &step),
        "hold" => hold(transaction, venue, &step),
        "extend" => extend(venue, &step),
        "release" => release(transaction, venue, &step),
        "confirm" => {
            let answer = confirm(transaction, venue, &step)?;
            state.tickets.insert(ticket_key(&step), step.seats.clone());
            end(state, &step.client);
            Ok(answer)
        }
        "cancel" => Ok(end(state, &step.client)),
        _ => wait(venue, step),
    }
}

fn open_venue(state: &mut State, step: &Step) -> Result<String, Refused> {
    if state.venue(&step.venue).is_some() {
        return Err(Refused::new("venue_exists"));
    }
    let mut seats = Vec::new();
    for row in &step.rows {
        seats.extend((1..=row.count).map(|number| Seat::new(&row.name, number)));
    }
    let answer = format!("ok {}", seats.len());
    state.venues.push(Venue { name: step.venue.clone(), limit: step.limit, seats, waiting: Vec::new() });
    Ok(answer)
}

fn begin(state: &mut State, step: &Step) -> Result<String, Refused> {
    let venue = state.venue(&step.venue).ok_or_else(|| Refused::new("unknown_venue"))?;
    if state.transactions.contains_key(&step.client) {
        return Err(Refused::new("already_open"));
    }
    state.transactions.insert(step.client.clone(), Transaction { venue, known: HashMap::new() });
    Ok("ok".to_string())
}

fn read(transaction: &mut Transaction, venue: &Venue, step: &Step) -> Result<String, Refused> {
    let mut answer = "ok".to_string();
    for place in find(venue, step)? {
        let seat = &venue.seats[place];
        transaction.learn(seat);
        answer += &format!(" {}={}/{}", seat.name, seat.status.word(), seat.version);
    }
    Ok(answer)
}

fn hold(transaction: &mut Transaction, venue: &mut Venue, step: &Step) -> Result<String, Refused> {
    if step.until <= step.at {
        return Err(Refused::new("not_later"));
    }
    let mut places = find(venue, step)?;
    if venue.would_exceed(&step.client, step.wished()) {
        return Err(Refused::new("over_limit"));
    }
    for &place in &places {
        if !venue.seats[place].is_free() {
            return Err(Refused::about("taken", &venue.seats[place].name));
        }
    }
    if step.together > 0 {
        places = venue.side_by_side(step.together);
        if places.is_empty() {
            return Err(Refused::new("no_room"));
        }
    }
    for &place in &places {
        venue.seats[place].hold(&step.client, step.until);
        transaction.learn(&venue.seats[place]);
    }
    Ok(format!("ok{}", venue.list(&places)))
}

fn extend(venue: &mut Venue, step: &Step) -> Result<String, Refused> {
    let places = find_held(venue, step)?;
    for &place in &places {
        if step.until <= venue.seats[place].until {
            return Err(Refused::about("not_longer", &venue.seats[place].name));
        }
    }
    for &place in &places {
        venue.seats[place].until = step.until;
    }
    Ok(format!("ok{}", venue.list(&places)))
}

fn release(transaction: &mut Transaction, venue: &mut Venue, step: &Step) -> Result<String, Refused> {
    let places = find_held(venue, step)?;
    for &place in &places {
        venue.seats[place].free();
        transaction.learn(&venue.seats[place]);
    }
    Ok(format!("ok{}", venue.list(&places)))
}

fn confirm(transaction: &Transaction, venue: &mut Venue, step: &Step) -> Result<String, Refused> {
    let places = find(venue, step)?;
    let seats: Vec<&Seat> = places.iter().map(|&place| &venue.seats[place]).collect();
    for seat in &seats {
        if !transaction.known.contains_key(&seat.name) {
            return Err(Refused::about("not_read", &seat.name));
        }
    }
    if venue.count_booked_by(&step.client) + seats.len() > venue.limit {
        return Err(Refused::new("over_limit"));
    }
    for seat in &seats {
        if seat.version != transaction.known[&seat.name] {
            return Err(Refused::about("lost_update", &seat.name));
        }
    }
    for seat in &seats {
        if !seat.is_free() && !seat.is_held_by(&step.client) {
            return Err(Refused::about("taken", &seat.name));
        }
    }
    for &place in &places {
        venue.seats[place].book(&step.client);
    }
    Ok(format!("ok{}", venue.list(&places)))
}

fn confirm_again(confirmed: &[String], step: &Step) -> Result<String, Refused> {
    if confirmed != step.seats {
        return Err(Refused::new("ticket_used"));
    }
    Ok(format!("ok {}", confirmed.join(" ")))
}

fn wait(venue: &mut Venue, step: Rc<Step>) -> Result<String, Refused> {
    if venue.is_waiting(&step.client) {
        return Err(Refused::new("already_waiting"));
    }
    find(venue, &step)?;
    if venue.would_exceed(&step.client, step.wished()) {
        return Err(Refused::new("over_limit"));
    }
    if !venue.available(&step).is_empty() {
        return Err(Refused::new("not_needed"));
    }
    venue.waiting.push(step);
    Ok(format!("ok {}", venue.waiting.len()))
}

/// Ends the client's transaction; returns the `ok` line with the seats that this frees.
fn end(state: &mut State, client: &str) -> String {
    let mut answer = "ok".to_string();
    if let Some(transaction) = state.transactions.remove(client) {
        let venue = &mut state.venues[transaction.venue];
        let places = venue.held_by(client);
        for &place in &places {
            venue.seats[place].free();
        }
        venue.forget_wish(client);
        answer += &venue.list(&places);
    }
    answer
}

fn find(venue: &Venue, step: &Step) -> Result<Vec<usize>, Refused> {
    let place = |name: &String| venue.find(name).ok_or_else(|| Refused::about("unknown_seat", name));
    step.seats.iter().map(place).collect()
}

fn find_held(venue: &Venue, step: &Step) -> Result<Vec<usize>, Refused> {
    let places = find(venue, step)?;
    for &place in &places {
        if !venue.seats[place].is_held_by(&step.client) {
            return Err(Refused::about("not_held", &venue.seats[place].name));
        }
    }
    Ok(places)
}

fn ticket_key(step: &Step) -> (String, String) {
    (step.client.clone(), step.ticket.clone())
}
