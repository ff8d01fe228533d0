// A venue and its seats.

export type Status = "free" | "held" | "booked";

export const FREE: Status = "free";
export const HELD: Status = "held";
export const BOOKED: Status = "booked";

/** One numbered seat and who has it. */
export class Seat {
  status = FREE;
  client = "";
  version = 0;

  constructor(readonly name: string) {}

  change(status: Status, client: string): void {
    this.status = status;
    this.client = client;
    this.version += 1;
  }
}

/** The seats by name, in plan order, and the clients who wait for one. */
export class Venue {
  readonly seats = new Map<string, Seat>();
  readonly waiting: string[] = [];

  addRow(row: string, count: number): void {
    for (let number = 1; number <= count; number += 1) {
      const name = `${row}${number}`;
      this.seats.set(name, new Seat(name));
    }
  }

  /** Frees what the client holds; returns the names of these seats. */
  freeAllOf(client: string): string[] {
    const names: string[] = [];
    for (const seat of this.seats.values()) {
      if (seat.status === HELD && seat.client === client) {
        seat.change(FREE, "");
        names.push(seat.name);
      }
    }
    return names;
  }
}
