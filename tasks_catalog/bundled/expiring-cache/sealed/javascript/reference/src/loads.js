// The loads under way.

/** `invalidated` holds the tags that were invalidated since the load began. */
class Load {
  overtaken = false;
  invalidated = new Set();

  constructor(ticket, until) {
    this.ticket = ticket;
    this.until = until;
  }

  isSuperseded(tags) {
    return this.overtaken || tags.some((tag) => this.invalidated.has(tag));
  }
}

/** At most one load of a key is under way at a time. */
export class Loads {
  #ticket = 0;
  #byKey = new Map();

  /** The load of this key whose lease has not ended, or undefined. */
  underWay(key, at) {
    const load = this.#byKey.get(key);
    return load !== undefined && at < load.until ? load : undefined;
  }

  /** Begins a load; returns its ticket. */
  begin(key, until) {
    this.#ticket += 1;
    this.#byKey.set(key, new Load(this.#ticket, until));
    return this.#ticket;
  }

  end(key) {
    this.#byKey.delete(key);
  }

  /** Something newer than what the load of this key will bring has happened to the key. */
  overtake(key) {
    const load = this.#byKey.get(key);
    if (load !== undefined) {
      load.overtaken = true;
    }
  }

  invalidate(tag) {
    for (const load of this.#byKey.values()) {
      load.invalidated.add(tag);
    }
  }

  count(at) {
    return [...this.#byKey.values()].filter((load) => at < load.until).length;
  }
}
