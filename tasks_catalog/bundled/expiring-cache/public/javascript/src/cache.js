// Carries out commands.

import { Entry, Store } from "./store.js";

const REFUSED = "refused bad_command";

/** The fields of `set`; the last one is all that is left of the line. */
const SET = /^set ([^ ]*) ([^ ]*) ([^ ]*) ([^ ]*) ([^ ]*) ([^ ]*) (.*)$/s;

/** Answers one line after the other. */
export class Cache {
  #store = new Store(0);
  #version = 0;
  #counts = { hits: 0, misses: 0, expired: 0, evicted: 0, invalidated: 0 };

  /** The lines of removals and the answer line of a command. */
  answer(line) {
    const set = SET.exec(line);
    if (set !== null) {
      const [, at, key, , ttl, , tags, value] = set;
      return this.#set(number(at), key, number(ttl), tags.split(","), value);
    }
    const [name, first, second, ...others] = line.split(" ");
    if (first === undefined || others.length > 0) {
      return [REFUSED];
    }
    if (second === undefined) {
      return [name === "stats" ? this.#stats() : REFUSED];
    }
    switch (name) {
      case "cache":
        this.#store = new Store(number(first));
        return ["ok"];
      case "get":
        return this.#get(number(first), second);
      case "touch":
        return this.#touch(number(first), second);
      case "delete":
        return this.#delete(number(first), second);
      case "invalidate":
        return this.#invalidate(number(first), second);
      case "resize":
        this.#store.capacity = number(second);
        return [`ok ${this.#store.used}`];
      default:
        return [REFUSED];
    }
  }

  #set(at, key, ttl, tags, value) {
    this.#version += 1;
    const lines = this.#bury(at, key);
    for (const evicted of this.#store.put(new Entry(key, value, this.#version, ttl, at + ttl, tags))) {
      lines.push(this.#removed(evicted, "evicted"));
    }
    return [...lines, `ok ${this.#version}`];
  }

  #get(at, key) {
    const lines = this.#bury(at, key);
    const entry = this.#store.entries.get(key);
    if (entry === undefined) {
      this.#counts.misses += 1;
      return [...lines, "miss yes"];
    }
    this.#counts.hits += 1;
    return [`hit ${entry.version} ${entry.value}`];
  }

  #touch(at, key) {
    const entry = this.#store.entries.get(key);
    if (entry === undefined || entry.isDead(at)) {
      return [REFUSED];
    }
    entry.until = at + entry.ttl;
    return [`ok ${entry.until}`];
  }

  #delete(at, key) {
    const entry = this.#store.entries.get(key);
    if (entry === undefined || entry.isDead(at)) {
      return [REFUSED];
    }
    this.#store.entries.delete(key);
    return ["ok"];
  }

  #invalidate(at, tag) {
    const keys = [];
    for (const [key, entry] of this.#store.entries) {
      if (entry.tags.includes(tag) && !entry.isDead(at)) {
        keys.push(key);
      }
    }
    const lines = keys.sort().map((key) => {
      this.#store.entries.delete(key);
      return this.#removed(key, "invalidated");
    });
    return [...lines, `ok ${keys.length}`];
  }

  #stats() {
    const { hits, misses, expired, evicted, invalidated } = this.#counts;
    return (
      `ok entries=${this.#store.entries.size} bytes=${this.#store.used} hits=${hits} stale=0 absent=0` +
      ` misses=${misses} expired=${expired} evicted=${evicted} invalidated=${invalidated} loading=0`
    );
  }

  #bury(at, key) {
    const entry = this.#store.entries.get(key);
    if (entry === undefined || !entry.isDead(at)) {
      return [];
    }
    this.#store.entries.delete(key);
    return [this.#removed(key, "expired")];
  }

  #removed(key, cause) {
    this.#counts[cause] += 1;
    return `removed ${key} ${cause}`;
  }
}

/** The number that a field holds; 0 if it holds none. */
function number(text) {
  return /^[0-9]{1,13}$/.test(text) ? Number(text) : 0;
}
