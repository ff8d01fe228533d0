// What is stored, and what goes when room is needed.

import { compareByCodePoints, countBytes } from "./text.js";

export const EXPIRED = "expired";
export const EVICTED = "evicted";
export const INVALIDATED = "invalidated";

/** `value` is null if the entry says that there is no such thing. */
export class Entry {
  constructor(command, value, version) {
    this.key = command.key;
    this.value = value;
    this.version = version;
    this.slides = command.slides;
    this.ttl = command.ttl;
    this.stale = command.stale;
    this.tags = command.tags;
    this.freshUntil = command.at + command.ttl;
    this.lastUse = command.at;
  }

  get size() {
    return sizeOf(this.key, this.value);
  }

  get deadFrom() {
    return this.freshUntil + this.stale;
  }

  isFresh(at) {
    return at < this.freshUntil;
  }

  isLive(at) {
    return at < this.deadFrom;
  }

  renew(at) {
    this.freshUntil = at + this.ttl;
  }
}

/** Entries by key. Dead ones stay until they are removed. */
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

  /** The live entry of this key, or undefined. */
  live(key, at) {
    const entry = this.entries.get(key);
    return entry?.isLive(at) ? entry : undefined;
  }

  /** Removes entries until `size` more bytes fit; returns each key with its cause. */
  makeRoom(size, at) {
    const removed = [];
    let missing = this.used + size - this.capacity;
    for (const entry of [...this.entries.values()].sort((a, b) => compareTurns(a, b, at))) {
      if (missing <= 0) {
        break;
      }
      this.entries.delete(entry.key);
      missing -= entry.size;
      removed.push({ key: entry.key, cause: entry.isLive(at) ? EVICTED : EXPIRED });
    }
    return removed;
  }
}

/** The bytes that an entry uses. */
export function sizeOf(key, value) {
  return countBytes(key) + countBytes(value ?? "");
}

/** Less than 0 if `a` goes before `b`. */
function compareTurns(a, b, at) {
  const live = a.isLive(at);
  if (live !== b.isLive(at)) {
    return live ? 1 : -1;
  }
  if (!live) {
    return a.deadFrom - b.deadFrom || compareByCodePoints(a.key, b.key);
  }
  return a.lastUse - b.lastUse || b.size - a.size || compareByCodePoints(a.key, b.key);
}
