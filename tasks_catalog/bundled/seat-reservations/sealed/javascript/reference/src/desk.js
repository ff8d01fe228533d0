// Carries out steps.

import { Refused } from "./refusal.js";
import { State, Transaction, ticketKey } from "./state.js";
import { parse } from "./step.js";
import { Seat, Venue } from "./venue.js";

/**
 * Answers one line after the other.
 *
 * A step works on a copy of the state, which replaces the state if the step is carried out: a
 * refused step must leave no trace, not even of the time that passed before it was judged.
 */
export class Desk {
  #state = new State();

  /** The answer line of a step, with its event lines around it. */
  answer(line) {
    try {
      const step = parse(line);
      const state = this.#state.copy();
      const lines = carryOut(state, step);
      this.#state = state;
      return lines;
    } catch (error) {
      if (error instanceof Refused) {
        return [error.message];
      }
      throw error;
    }
  }
}

function carryOut(state, step) {
  if (step.operation === "venue") {
    return [openVenue(state, step)];
  }
  if (step.at < state.clock) {
    throw new Refused("time_backwards");
  }
  const lines = state.advance(step.at);
  lines.push(answer(state, step));
  for (const venue of state.venues.values()) {
    lines.push(...state.promote(venue, step.at));
  }
  return lines;
}

function answer(state, step) {
  if (step.operation === "begin") {
    return begin(state, step);
  }
  const confirmed = state.tickets.get(ticketKey(step));
  if (step.operation === "confirm" && confirmed !== undefined) {
    return confirmAgain(confirmed, step);
  }
  const transaction = state.transactions.get(step.client);
  if (transaction === undefined) {
    throw new Refused("not_open");
  }
  const venue = state.venues.get(transaction.venue);
  switch (step.operation) {
    case "read":
      return read(transaction, venue, step);
    case "hold":
      return hold(transaction, venue, step);
    case "extend":
      return extend(venue, step);
    case "release":
      return release(transaction, venue, step);
    case "confirm":
      return confirm(state, transaction, venue, step);
    case "cancel":
      return ok(end(state, venue, step.client));
    default:
      return wait(venue, step);
  }
}

function openVenue(state, step) {
  if (state.venues.has(step.venue)) {
    throw new Refused("venue_exists");
  }
  const seats = [];
  for (const { row, count } of step.rows) {
    for (let number = 1; number <= count; number += 1) {
      seats.push(new Seat(row, number));
    }
  }
  state.venues.set(step.venue, new Venue(step.venue, step.limit, seats));
  return `ok ${seats.length}`;
}

function begin(state, step) {
  if (!state.venues.has(step.venue)) {
    throw new Refused("unknown_venue");
  }
  if (state.transactions.has(step.client)) {
    throw new Refused("already_open");
  }
  state.transactions.set(step.client, new Transaction(step.venue));
  return "ok";
}

function read(transaction, venue, step) {
  const seats = find(venue, step);
  for (const seat of seats) {
    transaction.learn(seat);
  }
  return ok(seats.map((seat) => `${seat.name}=${seat.status}/${seat.version}`));
}

function hold(transaction, venue, step) {
  if (step.until <= step.at) {
    throw new Refused("not_later");
  }
  let seats = find(venue, step);
  if (venue.wouldExceed(step.client, step.wished)) {
    throw new Refused("over_limit");
  }
  for (const seat of seats) {
    if (!seat.isFree()) {
      throw new Refused("taken", seat.name);
    }
  }
  if (step.together > 0) {
    seats = venue.sideBySide(step.together);
    if (seats.length === 0) {
      throw new Refused("no_room");
    }
  }
  for (const seat of seats) {
    seat.hold(step.client, step.until);
    transaction.learn(seat);
  }
  return ok(seats.map((seat) => seat.name));
}

function extend(venue, step) {
  const seats = findHeld(venue, step);
  for (const seat of seats) {
    if (step.until <= seat.until) {
      throw new Refused("not_longer", seat.name);
    }
  }
  for (const seat of seats) {
    seat.until = step.until;
  }
  return ok(step.seats);
}

function release(transaction, venue, step) {
  for (const seat of findHeld(venue, step)) {
    seat.free();
    transaction.learn(seat);
  }
  return ok(step.seats);
}

function confirm(state, transaction, venue, step) {
  const seats = find(venue, step);
  for (const seat of seats) {
    if (!transaction.known.has(seat.name)) {
      throw new Refused("not_read", seat.name);
    }
  }
  if (venue.bookedBy(step.client).length + seats.length > venue.limit) {
    throw new Refused("over_limit");
  }
  for (const seat of seats) {
    if (seat.version !== transaction.known.get(seat.name)) {
      throw new Refused("lost_update", seat.name);
    }
  }
  for (const seat of seats) {
    if (!seat.isFree() && !seat.isHeldBy(step.client)) {
      throw new Refused("taken", seat.name);
    }
  }
  for (const seat of seats) {
    seat.book(step.client);
  }
  state.tickets.set(ticketKey(step), step.seats);
  end(state, venue, step.client);
  return ok(step.seats);
}

function confirmAgain(confirmed, step) {
  if (ok(confirmed) !== ok(step.seats)) {
    throw new Refused("ticket_used");
  }
  return ok(step.seats);
}

function wait(venue, step) {
  if (venue.isWaiting(step.client)) {
    throw new Refused("already_waiting");
  }
  find(venue, step);
  if (venue.wouldExceed(step.client, step.wished)) {
    throw new Refused("over_limit");
  }
  if (venue.available(step).length > 0) {
    throw new Refused("not_needed");
  }
  venue.waiting.push(step);
  return `ok ${venue.waiting.length}`;
}

/** Ends the client's transaction; returns the names of the seats that this frees. */
function end(state, venue, client) {
  const seats = venue.heldBy(client);
  for (const seat of seats) {
    seat.free();
  }
  venue.forgetWish(client);
  state.transactions.delete(client);
  return seats.map((seat) => seat.name);
}

function find(venue, step) {
  return step.seats.map((name) => {
    const seat = venue.find(name);
    if (seat === undefined) {
      throw new Refused("unknown_seat", name);
    }
    return seat;
  });
}

function findHeld(venue, step) {
  const seats = find(venue, step);
  for (const seat of seats) {
    if (!seat.isHeldBy(step.client)) {
      throw new Refused("not_held", seat.name);
    }
  }
  return seats;
}

function ok(parts) {
  return ["ok", ...parts].join(" ");
}
