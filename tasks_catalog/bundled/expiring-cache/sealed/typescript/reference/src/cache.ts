// Carries out commands.

import { type Command, parse } from "./command";
import { type Load, Loads } from "./loads";
import { Refused } from "./refusal";
import { type Cause, EXPIRED, Entry, INVALIDATED, Store, sizeOf } from "./store";
import { compareByCodePoints, countCharacters } from "./text";

/**
 * Answers one line after the other.
 *
 * Each operation first throws all its refusals, and only then begins to change anything.
 */
export class Cache {
  #isOpen = false;
  #store = new Store(0);
  #longest = 0;
  #clock = 0;
  #version = 0;
  #loads = new Loads();
  #counts = { hits: 0, stale: 0, absent: 0, misses: 0, expired: 0, evicted: 0, invalidated: 0 };
  #removals: string[] = [];

  /** The lines of removals and the answer line of a command. */
  answer(line: string): string[] {
    this.#removals = [];
    try {
      const answer = this.#carryOut(parse(line));
      return [...this.#removals, answer];
    } catch (error) {
      if (error instanceof Refused) {
        return [error.message];
      }
      throw error;
    }
  }

  #carryOut(command: Command): string {
    if (command.name === "cache") {
      return this.#open(command);
    }
    if (!this.#isOpen) {
      throw new Refused("not_open");
    }
    if (countCharacters(command.key) > this.#longest) {
      throw new Refused("key_too_long");
    }
    if (countCharacters(command.value) > this.#longest) {
      throw new Refused("value_too_long");
    }
    if (command.at < this.#clock) {
      throw new Refused("time_backwards");
    }
    const answer = this.#operate(command);
    this.#clock = command.at;
    return answer;
  }

  #operate(command: Command): string {
    switch (command.name) {
      case "set":
        return this.#set(command, command.value);
      case "absent":
        return this.#set(command, null);
      case "cas":
        return this.#cas(command);
      case "get":
        return this.#get(command);
      case "touch":
        return this.#touch(command);
      case "delete":
        return this.#delete(command);
      case "invalidate":
        return this.#invalidate(command);
      case "load":
        return this.#load(command);
      case "loaded":
        return this.#loaded(command);
      case "failed":
        return this.#failed(command);
      case "resize":
        return this.#resize(command);
      default:
        return this.#stats(command);
    }
  }

  #open(command: Command): string {
    if (this.#isOpen) {
      throw new Refused("already_open");
    }
    this.#isOpen = true;
    this.#store = new Store(command.bytes);
    this.#longest = command.chars;
    return "ok";
  }

  #set(command: Command, value: string | null): string {
    this.#refuseTooLarge(command, value);
    return this.#write(command, value);
  }

  #cas(command: Command): string {
    const version = this.#store.live(command.key, command.at)?.version ?? 0;
    if (version !== command.version) {
      throw new Refused("wrong_version", version);
    }
    return this.#set(command, command.value);
  }

  #get(command: Command): string {
    this.#bury(command);
    const refresh = this.#loads.underWay(command.key, command.at) === undefined ? "yes" : "no";
    const entry = this.#store.live(command.key, command.at);
    if (entry === undefined) {
      this.#counts.misses += 1;
      return `miss ${refresh}`;
    }
    entry.lastUse = command.at;
    if (!entry.isFresh(command.at)) {
      this.#counts.stale += 1;
      return `stale ${entry.version} ${refresh} ${entry.value}`;
    }
    if (entry.slides) {
      entry.renew(command.at);
    }
    if (entry.value === null) {
      this.#counts.absent += 1;
      return `absent ${entry.version}`;
    }
    this.#counts.hits += 1;
    return `hit ${entry.version} ${entry.value}`;
  }

  #touch(command: Command): string {
    const entry = this.#find(command);
    if (!entry.isFresh(command.at)) {
      throw new Refused("not_fresh");
    }
    entry.renew(command.at);
    entry.lastUse = command.at;
    return `ok ${entry.freshUntil}`;
  }

  #delete(command: Command): string {
    this.#find(command);
    this.#store.entries.delete(command.key);
    this.#loads.overtake(command.key);
    return "ok";
  }

  #invalidate(command: Command): string {
    const [tag = ""] = command.tags;
    const keys: string[] = [];
    for (const entry of this.#store.entries.values()) {
      if (entry.tags.includes(tag) && entry.isLive(command.at)) {
        keys.push(entry.key);
      }
    }
    for (const key of keys.sort(compareByCodePoints)) {
      this.#store.entries.delete(key);
      this.#loads.overtake(key);
      this.#removed(key, INVALIDATED);
    }
    this.#loads.invalidate(tag);
    return `ok ${keys.length}`;
  }

  #load(command: Command): string {
    if (this.#store.live(command.key, command.at)?.isFresh(command.at)) {
      throw new Refused("fresh");
    }
    const load = this.#loads.underWay(command.key, command.at);
    if (load !== undefined) {
      throw new Refused("in_flight", load.ticket);
    }
    this.#bury(command);
    return `ok ${this.#loads.begin(command.key, command.at + command.lease)}`;
  }

  #loaded(command: Command): string {
    const load = this.#findLoad(command);
    this.#refuseTooLarge(command, command.value);
    this.#loads.end(command.key);
    if (load.isSuperseded(command.tags)) {
      this.#bury(command);
      return "ok superseded";
    }
    return this.#write(command, command.value);
  }

  #failed(command: Command): string {
    this.#findLoad(command);
    this.#bury(command);
    this.#loads.end(command.key);
    return "ok";
  }

  #resize(command: Command): string {
    this.#store.capacity = command.bytes;
    this.#makeRoom(0, command.at);
    return `ok ${this.#store.used}`;
  }

  #stats(command: Command): string {
    const counts = Object.entries(this.#counts).map(([name, count]) => `${name}=${count}`);
    const stored = `entries=${this.#store.entries.size} bytes=${this.#store.used}`;
    return `ok ${stored} ${counts.join(" ")} loading=${this.#loads.count(command.at)}`;
  }

  #find(command: Command): Entry {
    const entry = this.#store.live(command.key, command.at);
    if (entry === undefined) {
      throw new Refused("not_found");
    }
    return entry;
  }

  #findLoad(command: Command): Load {
    const load = this.#loads.underWay(command.key, command.at);
    if (load === undefined || load.ticket !== command.ticket) {
      throw new Refused("unknown_load");
    }
    return load;
  }

  #refuseTooLarge(command: Command, value: string | null): void {
    if (sizeOf(command.key, value) > this.#store.capacity) {
      throw new Refused("too_large");
    }
  }

  #write(command: Command, value: string | null): string {
    this.#bury(command);
    this.#store.entries.delete(command.key);
    this.#makeRoom(sizeOf(command.key, value), command.at);
    this.#version += 1;
    this.#store.entries.set(command.key, new Entry(command, value, this.#version));
    this.#loads.overtake(command.key);
    return `ok ${this.#version}`;
  }

  #makeRoom(size: number, at: number): void {
    for (const { key, cause } of this.#store.makeRoom(size, at)) {
      this.#removed(key, cause);
    }
  }

  /** Removes the entry of the command's key if it is dead. */
  #bury(command: Command): void {
    const entry = this.#store.entries.get(command.key);
    if (entry !== undefined && !entry.isLive(command.at)) {
      this.#store.entries.delete(command.key);
      this.#removed(command.key, EXPIRED);
    }
  }

  #removed(key: string, cause: Cause): void {
    this.#counts[cause] += 1;
    this.#removals.push(`removed ${key} ${cause}`);
  }
}
