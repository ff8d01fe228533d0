// What is stored.

/** `until` is the instant at which the entry has lived for its time to live. */
export class Entry {
  constructor(key, value, version, ttl, until, tags) {
    this.key = key;
    this.value = value;
    this.version = version;
    this.ttl = ttl;
    this.until = until;
    this.tags = tags;
  }

  get size() {
    return [...this.key].length + [...this.value].length;
  }

  isDead(at) {
    return at > this.until;
  }
}

/** Entries by key, in the order in which they were stored. */
export class Store {
  constructor(capacity) {
    this.capacity = capacity;
    this.entries = new Map();
  }

  get used() {
    let bytes = 0;
    for (const entry of this.entries.values()) {
      bytes += entry.size;
    }
    return bytes;
  }

  /** Stores an entry; returns the keys of those that had to go. */
  put(entry) {
    this.entries.delete(entry.key);
    const evicted = [];
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
