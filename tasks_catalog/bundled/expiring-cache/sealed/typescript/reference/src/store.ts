// What is stored, and what goes when room is needed.

import type { Command } from "./command";
import { compareByCodePoints, countBytes } from "./text";

export type Cause = "expired" | "evicted" | "invalidated";

export const EXPIRED: Cause = "expired";
export const EVICTED: Cause = "evicted";
export const INVALIDATED: Cause = "invalidated";

/** `value` is null if the entry says that there is no such thing. */
export class Entry {
  readonly key: string;
  readonly slides: boolean;
  readonly ttl: number;
  readonly stale: number;
  readonly tags: readonly string[];
  freshUntil: number;
  lastUse: number;

  constructor(
    command: Command,
    readonly value: string | null,
    readonly version: number,
  ) {
    this.key = command.key;
    this.slides = command.slides;
    this.ttl = command.ttl;
    this.stale = command.stale;
    this.tags = command.tags;
    this.freshUntil = command.at + command.ttl;
    this.lastUse = command.at;
  }

  get size(): number {
    return sizeOf(this.key, this.value);
  }

  get deadFrom(): number {
    return this.freshUntil + this.stale;
  }

  isFresh(at: number): boolean {
    return at < this.freshUntil;
  }

  isLive(at: number): boolean {
    return at < this.deadFrom;
  }

  renew(at: number): void {
    this.freshUntil = at + this.ttl;
  }
}

export interface Removal {
  readonly key: string;
  readonly cause: Cause;
}

/** Entries by key. Dead ones stay until they are removed. */
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

  /** The live entry of this key, or undefined. */
  live(key: string, at: number): Entry | undefined {
    const entry = this.entries.get(key);
    return entry?.isLive(at) ? entry : undefined;
  }

  /** Removes entries until `size` more bytes fit; returns each key with its cause. */
  makeRoom(size: number, at: number): Removal[] {
    const removed: Removal[] = [];
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
export function sizeOf(key: string, value: string | null): number {
  return countBytes(key) + countBytes(value ?? "");
}

/** Less than 0 if `a` goes before `b`. */
function compareTurns(a: Entry, b: Entry, at: number): number {
  const live = a.isLive(at);
  if (live !== b.isLive(at)) {
    return live ? 1 : -1;
  }
  if (!live) {
    return a.deadFrom - b.deadFrom || compareByCodePoints(a.key, b.key);
  }
  return a.lastUse - b.lastUse || b.size - a.size || compareByCodePoints(a.key, b.key);
}
