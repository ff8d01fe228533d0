// Carries out steps.

import { BOOKED, FREE, HELD, type Status, Venue } from "./venue";

const REFUSED = "refused bad_step";

/** Keeps the venues and which one each client is in; answers one line after the other. */
export class Desk {
  #venues = new Map<string, Venue>();
  #venueOf = new Map<string, string>();

  answer(line: string): string[] {
    const fields = line.split(" ");
    if (fields.length < 3) {
      return [REFUSED];
    }
    if (fields[0] === "venue") {
      return [this.#openVenue(fields[1], fields.slice(3))];
    }
    return [this.#carryOut(fields[0], fields[2], fields.slice(3))];
  }

  #openVenue(name: string, rows: string[]): string {
    const venue = new Venue();
    for (const field of rows) {
      const [row = "", count = ""] = field.split(":", 2);
      venue.addRow(row, number(count));
    }
    this.#venues.set(name, venue);
    return `ok ${venue.seats.size}`;
  }

  #carryOut(operation: string, client: string, rest: string[]): string {
    if (operation === "begin") {
      return this.#begin(client, rest);
    }
    const venue = this.#venues.get(this.#venueOf.get(client) ?? "");
    if (venue === undefined) {
      return REFUSED;
    }
    switch (operation) {
      case "read":
        return read(venue, rest);
      case "hold":
        return change(venue, rest.slice(1), FREE, "", HELD, client);
      case "extend":
        return change(venue, rest.slice(1), HELD, client, HELD, client);
      case "release":
        return change(venue, rest, HELD, client, FREE, "");
      case "confirm":
        return this.#confirm(venue, client, rest.slice(1));
      case "cancel":
        this.#venueOf.delete(client);
        return ok(venue.freeAllOf(client));
      case "wait":
        venue.waiting.push(client);
        return `ok ${venue.waiting.length}`;
      default:
        return REFUSED;
    }
  }

  #begin(client: string, rest: string[]): string {
    const [name] = rest;
    if (name === undefined || !this.#venues.has(name)) {
      return REFUSED;
    }
    this.#venueOf.set(client, name);
    return "ok";
  }

  #confirm(venue: Venue, client: string, names: string[]): string {
    for (const name of names) {
      const seat = venue.seats.get(name);
      if (seat === undefined || seat.status === BOOKED) {
        return REFUSED;
      }
      seat.change(BOOKED, client);
    }
    venue.freeAllOf(client);
    this.#venueOf.delete(client);
    return ok(names);
  }
}

function read(venue: Venue, names: string[]): string {
  const answers: string[] = [];
  for (const name of names) {
    const seat = venue.seats.get(name);
    if (seat === undefined) {
      return REFUSED;
    }
    answers.push(`${name}=${seat.status}/${seat.version}`);
  }
  return ok(answers);
}

function change(
  venue: Venue,
  names: string[],
  status: Status,
  owner: string,
  newStatus: Status,
  newOwner: string,
): string {
  for (const name of names) {
    const seat = venue.seats.get(name);
    if (seat === undefined || seat.status !== status || seat.client !== owner) {
      return REFUSED;
    }
    if (newStatus !== status) {
      seat.change(newStatus, newOwner);
    }
  }
  return ok(names);
}

/** The number that a field holds; 0 if it holds none. */
function number(text: string): number {
  return /^[0-9]{1,2}$/.test(text) ? Number(text) : 0;
}

function ok(parts: string[]): string {
  return ["ok", ...parts].join(" ");
}
