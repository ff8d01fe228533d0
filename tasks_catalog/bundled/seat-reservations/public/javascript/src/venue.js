// A venue and its seats.

export const FREE = "free";
export const HELD = "held";
export const BOOKED = "booked";

/** One numbered seat and who has it. */
class Seat {
  constructor(name) {
    this.name = name;
    this.status = FREE;
    this.client = "";
    this.version = 0;
  }

  change(status, client) {
    this.status = status;
    this.client = client;
    this.version += 1;
  }
}

/** The seats by name, in plan order, and the clients who wait for one. */
export class Venue {
  constructor() {
    this.seats = new Map();
    this.waiting = [];
  }

  addRow(row, count) {
    for (let number = 1; number <= count; number += 1) {
      const name = `${row}${number}`;
      this.seats.set(name, new Seat(name));
    }
  }

  /** Frees what the client holds; returns the names of these seats. */
  freeAllOf(client) {
    const names = [];
    for (const seat of this.seats.values()) {
      if (seat.status === HELD && seat.client === client) {
        seat.change(FREE, "");
        names.push(seat.name);
      }
    }
    return names;
  }
}
