// A venue: its seats and its waiting list.

export const FREE = "free";
export const HELD = "held";
export const BOOKED = "booked";

/** A numbered seat. `client` and `until` mean something only while the status calls for them. */
export class Seat {
  constructor(row, number) {
    this.row = row;
    this.number = number;
    this.status = FREE;
    this.client = "";
    this.until = 0;
    this.version = 0;
  }

  get name() {
    return `${this.row}${this.number}`;
  }

  copy() {
    return Object.assign(new Seat(this.row, this.number), this);
  }

  isFree() {
    return this.status === FREE;
  }

  isHeldBy(client) {
    return this.status === HELD && this.client === client;
  }

  hold(client, until) {
    this.#change(HELD, client, until);
  }

  book(client) {
    this.#change(BOOKED, client, 0);
  }

  free() {
    this.#change(FREE, "", 0);
  }

  #change(status, client, until) {
    this.status = status;
    this.client = client;
    this.until = until;
    this.version += 1;
  }
}

/** Seats in plan order, and the `wait` steps that were not granted yet in order of arrival. */
export class Venue {
  #byName;

  constructor(name, limit, seats, waiting = []) {
    this.name = name;
    this.limit = limit;
    this.seats = seats;
    this.waiting = [...waiting];
    this.#byName = new Map(seats.map((seat) => [seat.name, seat]));
  }

  copy() {
    const seats = this.seats.map((seat) => seat.copy());
    return new Venue(this.name, this.limit, seats, this.waiting);
  }

  /** The seat of this name, or undefined. */
  find(name) {
    return this.#byName.get(name);
  }

  heldBy(client) {
    return this.seats.filter((seat) => seat.isHeldBy(client));
  }

  bookedBy(client) {
    return this.seats.filter((seat) => seat.status === BOOKED && seat.client === client);
  }

  /** Whether so many seats on top of what the client has are too many. */
  wouldExceed(client, wished) {
    const has = this.heldBy(client).length + this.bookedBy(client).length;
    return has + wished > this.limit;
  }

  isWaiting(client) {
    return this.waiting.some((wish) => wish.client === client);
  }

  forgetWish(client) {
    this.waiting = this.waiting.filter((wish) => wish.client !== client);
  }

  /** The seats that a wish would get now; none if it cannot be met completely. */
  available(wish) {
    if (wish.together > 0) {
      return this.sideBySide(wish.together);
    }
    const seats = wish.seats.map((name) => this.find(name));
    return seats.every((seat) => seat.isFree()) ? seats : [];
  }

  /** The first `count` seats of the shortest gap that is long enough; none if there is no such gap. */
  sideBySide(count) {
    let chosen = [];
    for (const gap of this.#gaps()) {
      if (gap.length >= count && (chosen.length === 0 || gap.length < chosen.length)) {
        chosen = gap;
      }
    }
    return chosen.slice(0, count);
  }

  #gaps() {
    const gaps = [];
    let gap = [];
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
