// One series of occurrences and what was done to them.

import { Refused } from "./refusal.js";

/** Originals (local minutes), each with its plan: a local start and minutes; null for a skipped one. */
export class Series {
  #zone;
  #minutes;
  #plans;
  #changed = new Set();

  constructor(name, zone, minutes, originals) {
    this.name = name;
    this.#zone = zone;
    this.#minutes = minutes;
    this.#plans = new Map(originals.map((original) => [original, { local: original, minutes }]));
  }

  get zone() {
    return this.#zone;
  }

  skip(original) {
    this.#planned(original);
    this.#plans.set(original, null);
    this.#changed.add(original);
  }

  /** Minutes that are null are those of the series. */
  move(original, local, minutes) {
    this.#planned(original);
    this.#plans.set(original, { local, minutes: minutes ?? this.#minutes });
    this.#changed.add(original);
  }

  restore(original) {
    this.#known(original);
    if (!this.#changed.has(original)) {
      throw new Refused("not_changed");
    }
    this.#plans.set(original, { local: original, minutes: this.#minutes });
    this.#changed.delete(original);
  }

  /** The instants at which an occurrence that is not skipped starts and ends. */
  occurrence(original) {
    const plan = this.#plans.get(original);
    const start = this.#zone.instant(plan.local);
    return { series: this, original, start, end: start + plan.minutes };
  }

  /** Returns the occurrences that overlap the window, in the order of their originals. */
  overlapping(start, end) {
    return [...this.#plans.keys()]
      .filter((original) => this.#plans.get(original) !== null)
      .map((original) => this.occurrence(original))
      .filter((occurrence) => occurrence.start < end && occurrence.end > start);
  }

  #known(original) {
    if (!this.#plans.has(original)) {
      throw new Refused("unknown_occurrence");
    }
  }

  #planned(original) {
    this.#known(original);
    if (this.#plans.get(original) === null) {
      throw new Refused("already_skipped");
    }
  }
}
