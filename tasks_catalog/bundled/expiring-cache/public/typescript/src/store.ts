// What is stored.

/** `until` is the instant at which the entry has lived for its time to live. */
export class Entry {
  constructor(
    readonly key: string,
    readonly value: string,
    readonly version: number,
    readonly ttl: number,
    public until: number,
    readonly tags: readonly string[],
  ) {}

  get size(): number {
    return [...this.key].length + [...this.value].length;
  }

  isDead(at: number): boolean {
    return at > this.until;
  }
}

/** Entries by key, in the order in which they were stored. */
export class Store {
  readonly entries = new Map<string, Entry>();

  constructor(public capacity: number) {}

  get used(): number {
    let bytes = 0;
    for (const entry of this.entries.values()) {
      bytes += entry.size;
    }
    return bytes;
  }

  /** Stores an entry; returns the keys of those that had to go. */
  put(entry: Entry): string[] {
    this.entries.delete(entry.key);
    const evicted: string[] = [];
    for (const key of this.entries.keys()) {
      if (this.used + entry.size <= this.capacity) {
        break;
      }
      this.entries.delete(key);
      evicted.push(key);
    }
    this.entries.set(entry.key, entry);
    return evicted;
  }
}
