// What was answered under which key.

import { Refused } from "./outcome.js";

// seconds from the first use of a key
const REMEMBERED_FOR = 86_400n;

// Remembers the answers to keyed commands; every client has keys of its own.
export class Keys {
  #uses = new Map();

  // Returns the remembered answer, or null if the key is new or forgotten.
  // Throws Refused if the key is remembered with another content.
  recall(client, key, at, content) {
    const use = this.#uses.get(nameOf(client, key));
    if (use === undefined || at >= use.at + REMEMBERED_FOR) {
      return null;
    }
    if (use.content !== content) {
      throw new Refused("key_conflict");
    }
    return use.answer;
  }

  remember(client, key, at, content, answer) {
    this.#uses.set(nameOf(client, key), { at, content, answer });
  }
}

function nameOf(client, key) {
  // neither holds a space
  return `${client} ${key}`;
}
