// One series of occurrences.

/** The originals (local minutes) of a series, and what they have in common. */
export class Series {
  #minutes;
  #originals;

  constructor(name, offset, minutes, originals) {
    this.name = name;
    this.offset = offset;
    this.#minutes = minutes;
    this.#originals = originals;
  }

  /** The instants at which an occurrence starts and ends. */
  occurrence(original) {
    const start = original - this.offset;
    return { series: this, original, start, end: start + this.#minutes };
  }

  /** Returns the occurrences that overlap the window, in the order of their originals. */
  overlapping(start, end) {
    return this.#originals
      .map((original) => this.occurrence(original))
      .filter((occurrence) => occurrence.start < end && occurrence.end > start);
  }
}
