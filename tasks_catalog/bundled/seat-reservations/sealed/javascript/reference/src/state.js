// All that steps can change, and what time does to it.

import { HELD } from "./venue.js";

/** `known` maps the name of a seat to the version that the transaction knows. */
export class Transaction {
  constructor(venue, known = new Map()) {
    this.venue = venue;
    this.known = known;
  }

  copy() {
    return new Transaction(this.venue, new Map(this.known));
  }

  learn(seat) {
    this.known.set(seat.name, seat.version);
  }
}

/** `tickets` maps a client and a ticket, see `ticketKey`, to the seats that were confirmed with it. */
export class State {
  clock = 0;
  venues = new Map();
  transactions = new Map();
  tickets = new Map();

  copy() {
    const twin = new State();
    twin.clock = this.clock;
    twin.venues = copied(this.venues);
    twin.transactions = copied(this.transactions);
    twin.tickets = new Map(this.tickets);
    return twin;
  }

  /** Lets all holds expire that end up to `at`; returns the event lines. */
  advance(at) {
    const events = [];
    for (let due = this.#nextExpiry(); due <= at; due = this.#nextExpiry()) {
      for (const venue of this.venues.values()) {
        events.push(...this.#expire(venue, due));
      }
    }
    this.clock = at;
    return events;
  }

  /** Grants each wish on the waiting list that can be met now; returns the event lines. */
  promote(venue, at) {
    const events = [];
    for (const wish of venue.waiting) {
      const seats = venue.available(wish);
      if (seats.length === 0 || venue.wouldExceed(wish.client, seats.length)) {
        continue;
      }
      venue.forgetWish(wish.client);
      const until = at + wish.lasting;
      for (const seat of seats) {
        seat.hold(wish.client, until);
        this.transactions.get(wish.client).learn(seat);
      }
      const names = seats.map((seat) => seat.name).join(" ");
      events.push(`promoted ${at} ${venue.name} ${wish.client} ${until} ${names}`);
    }
    return events;
  }

  #nextExpiry() {
    let due = Infinity;
    for (const venue of this.venues.values()) {
      for (const seat of venue.seats) {
        if (seat.status === HELD) {
          due = Math.min(due, seat.until);
        }
      }
    }
    return due;
  }

  #expire(venue, due) {
    const events = [];
    for (const seat of venue.seats) {
      if (seat.status === HELD && seat.until === due) {
        events.push(`expired ${due} ${venue.name} ${seat.name} ${seat.client}`);
        seat.free();
      }
    }
    return [...events, ...this.promote(venue, due)];
  }
}

/** No name holds a space, so that the key tells all clients and tickets apart. */
export function ticketKey(step) {
  return `${step.client} ${step.ticket}`;
}

function copied(map) {
  return new Map([...map].map(([key, value]) => [key, value.copy()]));
}
