// One series of occurrences.

/** The original is a local minute, start and end are instants. */
export interface Occurrence {
  readonly series: Series;
  readonly original: number;
  readonly start: number;
  readonly end: number;
}

/** The originals (local minutes) of a series, and what they have in common. */
export class Series {
  readonly #minutes: number;
  readonly #originals: readonly number[];

  constructor(
    readonly name: string,
    readonly offset: number,
    minutes: number,
    originals: readonly number[],
  ) {
    this.#minutes = minutes;
    this.#originals = originals;
  }

  /** The instants at which an occurrence starts and ends. */
  occurrence(original: number): Occurrence {
    const start = original - this.offset;
    return { series: this, original, start, end: start + this.#minutes };
  }

  /** Returns the occurrences that overlap the window, in the order of their originals. */
  overlapping(start: number, end: number): Occurrence[] {
    return this.#originals
      .map((original) => this.occurrence(original))
      .filter((occurrence) => occurrence.start < end && occurrence.end > start);
  }
}
