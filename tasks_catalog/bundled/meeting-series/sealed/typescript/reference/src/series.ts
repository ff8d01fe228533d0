// One series of occurrences and what was done to them.

import { Refused } from "./refusal";
import { type Zone } from "./zone";

/** The original is a local minute, start and end are instants. */
export interface Occurrence {
  readonly series: Series;
  readonly original: number;
  readonly start: number;
  readonly end: number;
}

/** When an occurrence starts on the clocks, and how long it lasts. */
interface Plan {
  readonly local: number;
  readonly minutes: number;
}

/** Originals (local minutes), each with its plan; null stands for a skipped one. */
export class Series {
  readonly #minutes: number;
  readonly #plans = new Map<number, Plan | null>();
  readonly #changed = new Set<number>();

  constructor(
    readonly name: string,
    readonly zone: Zone,
    minutes: number,
    originals: readonly number[],
  ) {
    this.#minutes = minutes;
    for (const original of originals) {
      this.#plans.set(original, { local: original, minutes });
    }
  }

  skip(original: number): void {
    this.#planned(original);
    this.#plans.set(original, null);
    this.#changed.add(original);
  }

  /** Minutes that are null are those of the series. */
  move(original: number, local: number, minutes: number | null): void {
    this.#planned(original);
    this.#plans.set(original, { local, minutes: minutes ?? this.#minutes });
    this.#changed.add(original);
  }

  restore(original: number): void {
    this.#known(original);
    if (!this.#changed.has(original)) {
      throw new Refused("not_changed");
    }
    this.#plans.set(original, { local: original, minutes: this.#minutes });
    this.#changed.delete(original);
  }

  /** The instants at which an occurrence that is not skipped starts and ends. */
  occurrence(original: number): Occurrence {
    const plan = this.#planned(original);
    const start = this.zone.instant(plan.local);
    return { series: this, original, start, end: start + plan.minutes };
  }

  /** Returns the occurrences that overlap the window, in the order of their originals. */
  overlapping(start: number, end: number): Occurrence[] {
    return [...this.#plans.keys()]
      .filter((original) => this.#plans.get(original) !== null)
      .map((original) => this.occurrence(original))
      .filter((occurrence) => occurrence.start < end && occurrence.end > start);
  }

  #known(original: number): Plan | null {
    const plan = this.#plans.get(original);
    if (plan === undefined) {
      throw new Refused("unknown_occurrence");
    }
    return plan;
  }

  #planned(original: number): Plan {
    const plan = this.#known(original);
    if (plan === null) {
      throw new Refused("already_skipped");
    }
    return plan;
  }
}
