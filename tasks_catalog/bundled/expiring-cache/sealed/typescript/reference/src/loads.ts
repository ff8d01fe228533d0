// The loads under way.

/** `invalidated` holds the tags that were invalidated since the load began. */
export class Load {
  overtaken = false;
  readonly invalidated = new Set<string>();

  constructor(
    readonly ticket: number,
    readonly until: number,
  ) {}

  isSuperseded(tags: readonly string[]): boolean {
    return this.overtaken || tags.some((tag) => this.invalidated.has(tag));
  }
}

/** At most one load of a key is under way at a time. */
export class Loads {
  #ticket = 0;
  #byKey = new Map<string, Load>();

  /** The load of this key whose lease has not ended, or undefined. */
  underWay(key: string, at: number): Load | undefined {
    const load = this.#byKey.get(key);
    return load !== undefined && at < load.until ? load : undefined;
  }

  /** Begins a load; returns its ticket. */
  begin(key: string, until: number): number {
    this.#ticket += 1;
    this.#byKey.set(key, new Load(this.#ticket, until));
    return this.#ticket;
  }

  end(key: string): void {
    this.#byKey.delete(key);
  }

  /** Something newer than what the load of this key will bring has happened to the key. */
  overtake(key: string): void {
    const load = this.#byKey.get(key);
    if (load !== undefined) {
      load.overtaken = true;
    }
  }

  invalidate(tag: string): void {
    for (const load of this.#byKey.values()) {
      load.invalidated.add(tag);
    }
  }

  count(at: number): number {
    return [...this.#byKey.values()].filter((load) => at < load.until).length;
  }
}
