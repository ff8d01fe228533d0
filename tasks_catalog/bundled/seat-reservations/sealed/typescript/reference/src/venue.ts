// A venue: its seats and its waiting list.

import type { Step } from "./step";

export type Status = "free" | "held" | "booked";

export const FREE: Status = "free";
export const HELD: Status = "held";
export const BOOKED: Status = "booked";

/** A numbered seat. `client` and `until` mean something only while the status calls for them. */
export class Seat {
  status = FREE;
  client = "";
  until = 0;
  version = 0;

  constructor(
    readonly row: string,
    readonly number: number,
  ) {}

  get name(): string {
    return `${this.row}${this.number}`;
  }

  copy(): Seat {
    return Object.assign(new Seat(this.row, this.number), this);
  }

  isFree(): boolean {
    return this.status === FREE;
  }

  isHeldBy(client: string): boolean {
    return this.status === HELD && this.client === client;
  }

  hold(client: string, until: number): void {
    this.#change(HELD, client, until);
  }

  book(client: string): void {
    this.#change(BOOKED, client, 0);
  }

  free(): void {
    this.#change(FREE, "", 0);
  }

  #change(status: Status, client: string, until: number): void {
    this.status = status;
    this.client = client;
    this.until = until;
    this.version += 1;
  }
}

/** Seats in plan order, and the `wait` steps that were not granted yet in order of arrival. */
export class Venue {
  waiting: Step[];
  readonly #byName: ReadonlyMap<string, Seat>;

  constructor(
    readonly name: string,
    readonly limit: number,
    readonly seats: readonly Seat[],
    waiting: readonly Step[] = [],
  ) {
    this.waiting = [...waiting];
    this.#byName = new Map(seats.map((seat) => [seat.name, seat]));
  }

  copy(): Venue {
    const seats = this.seats.map((seat) => seat.copy());
    return new Venue(this.name, this.limit, seats, this.waiting);
  }

  /** The seat of this name, or undefined. */
  find(name: string): Seat | undefined {
    return this.#byName.get(name);
  }

  heldBy(client: string): Seat[] {
    return this.seats.filter((seat) => seat.isHeldBy(client));
  }

  bookedBy(client: string): Seat[] {
    return this.seats.filter((seat) => seat.status === BOOKED && seat.client === client);
  }

  /** Whether so many seats on top of what the client has are too many. */
  wouldExceed(client: string, wished: number): boolean {
    const has = this.heldBy(client).length + this.bookedBy(client).length;
    return has + wished > this.limit;
  }

  isWaiting(client: string): boolean {
    return this.waiting.some((wish) => wish.client === client);
  }

  forgetWish(client: string): void {
    this.waiting = this.waiting.filter((wish) => wish.client !== client);
  }

  /** The seats that a wish would get now; none if it cannot be met completely. */
  available(wish: Step): Seat[] {
    if (wish.together > 0) {
      return this.sideBySide(wish.together);
    }
    const seats = wish.seats.flatMap((name) => this.find(name) ?? []);
    return seats.every((seat) => seat.isFree()) ? seats : [];
  }

  /** The first `count` seats of the shortest gap that is long enough; none if there is no such gap. */
  sideBySide(count: number): Seat[] {
    let chosen: Seat[] = [];
    for (const gap of this.#gaps()) {
      if (gap.length >= count && (chosen.length === 0 || gap.length < chosen.length)) {
        chosen = gap;
      }
    }
    return chosen.slice(0, count);
  }

  #gaps(): Seat[][] {
    const gaps: Seat[][] = [];
    let gap: Seat[] = [];
    for (const seat of this.seats) {
      if (gap.length > 0 && (seat.row !== gap[0].row || !seat.isFree())) {
        gaps.push(gap);
        gap = [];
      }
      if (seat.isFree()) {
        gap.push(seat);
      }
    }
    return gap.length > 0 ? [...gaps, gap] : gaps;
  }
}
