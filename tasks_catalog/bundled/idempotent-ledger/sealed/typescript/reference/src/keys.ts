// What was answered under which key.

import { Refused } from "./outcome";

// seconds from the first use of a key
const REMEMBERED_FOR = 86_400n;

interface Use {
  readonly at: bigint;
  readonly content: string;
  readonly answer: string;
}

// Remembers the answers to keyed commands; every client has keys of its own.
export class Keys {
  readonly #uses = new Map<string, Use>();

  // Returns the remembered answer, or null if the key is new or forgotten.
  // Throws Refused if the key is remembered with another content.
  recall(client: string, key: string, at: bigint, content: string): string | null {
    const use = this.#uses.get(nameOf(client, key));
    if (use === undefined || at >= use.at + REMEMBERED_FOR) {
      return null;
    }
    if (use.content !== content) {
      throw new Refused("key_conflict");
    }
    return use.answer;
  }

  remember(client: string, key: string, at: bigint, content: string, answer: string): void {
    this.#uses.set(nameOf(client, key), { at, content, answer });
  }
}

function nameOf(client: string, key: string): string {
  // neither holds a space
  return `${client} ${key}`;
}
