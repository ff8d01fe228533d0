// The clocks of one zone.

export interface Transition {
  readonly at: number;
  readonly offset: number;
}

/** A first offset and transitions, each an instant and the offset from then on. */
export class Zone {
  readonly #offset: number;
  readonly #transitions: readonly Transition[];

  constructor(offset: number, transitions: readonly Transition[]) {
    this.#offset = offset;
    this.#transitions = transitions;
  }

  /** Returns the instant at which the clocks show this local time. */
  instant(local: number): number {
    let offset = this.#offset;
    for (const next of this.#transitions) {
      // The offset before a transition serves for what the clocks repeat and for what they leave out.
      if (local < next.at + Math.max(offset, next.offset)) {
        break;
      }
      offset = next.offset;
    }
    return local - offset;
  }

  local(instant: number): number {
    let offset = this.#offset;
    for (const next of this.#transitions) {
      if (instant < next.at) {
        break;
      }
      offset = next.offset;
    }
    return instant + offset;
  }
}
