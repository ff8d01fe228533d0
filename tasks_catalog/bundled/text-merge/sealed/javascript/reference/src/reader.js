// From input lines to blocks.

import { readNumber, readOptions } from "./options.js";
import { Refused } from "./refusal.js";

const SECTIONS = ["base", "mine", "theirs"];
const NAME = /^[a-z0-9._-]{1,30}$/;
const LONGEST_TEXT = 2000;

/** Takes the blocks from the input. A text is an array of lines with their endings. */
export class Reader {
  #lines;
  #next = 0;
  #names = new Set();

  constructor(lines) {
    this.#lines = lines;
  }

  atEnd() {
    return this.#next === this.#lines.length;
  }

  /** Returns the next block; or a refusal, and then it has passed over what is refused. */
  next() {
    try {
      return { block: this.#block() };
    } catch (error) {
      if (!(error instanceof Refused)) {
        throw error;
      }
      const refusal = { line: this.#next, kind: error.kind };
      if (error.kind !== "unknown_command") {
        this.#passOver();
      }
      return { refusal };
    }
  }

  #block() {
    const { name, options } = this.#header();
    const sections = this.#sections();
    this.#names.add(name);
    return {
      name,
      options,
      base: sections.get("base"),
      mine: sections.get("mine"),
      theirs: sections.get("theirs"),
    };
  }

  #header() {
    const [command, name, ...words] = this.#take().split(" ");
    if (command !== "merge") {
      throw new Refused("unknown_command");
    }
    if (name === undefined || !NAME.test(name)) {
      throw new Refused("bad_name");
    }
    const options = readOptions(words);
    if (this.#names.has(name)) {
      throw new Refused("duplicate_name");
    }
    return { name, options };
  }

  #sections() {
    const sections = new Map();
    for (let line = this.#take(); line !== "end"; line = this.#take()) {
      const [section, ...words] = line.split(" ");
      if (!SECTIONS.includes(section)) {
        throw new Refused("unexpected_line");
      }
      const { count, unfinished } = readExtent(words);
      if (sections.has(section)) {
        throw new Refused("repeated_section");
      }
      sections.set(section, this.#text(count, unfinished));
    }
    if (sections.size < SECTIONS.length) {
      throw new Refused("missing_section");
    }
    return sections;
  }

  #text(count, unfinished) {
    const text = [];
    while (text.length < count) {
      const end = unfinished && text.length === count - 1 ? "" : "\n";
      text.push(this.#take() + end);
    }
    return text;
  }

  #take() {
    if (this.atEnd()) {
      throw new Refused("end_of_input");
    }
    this.#next += 1;
    return this.#lines[this.#next - 1];
  }

  /** Goes on behind the next `end`, which may be the line that was taken last. */
  #passOver() {
    while (this.#lines[this.#next - 1] !== "end" && !this.atEnd()) {
      this.#next += 1;
    }
  }
}

/** Returns the number of lines and whether the last one is unfinished. */
function readExtent([number = "", ...more]) {
  const count = readNumber(number, LONGEST_TEXT);
  const unfinished = more.length === 1 && more[0] === "unfinished";
  if (count === null || (more.length > 0 && !unfinished) || (unfinished && count === 0)) {
    throw new Refused("bad_section");
  }
  return { count, unfinished };
}
