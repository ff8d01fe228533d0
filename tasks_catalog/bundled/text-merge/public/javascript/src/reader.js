// From input lines to blocks.

const SECTIONS = ["base", "mine", "theirs"];

class BadInput extends Error {}

/** Takes the blocks from the input. A text is an array of lines with their line feeds. */
export class Reader {
  #lines;
  #next = 0;

  constructor(lines) {
    this.#lines = lines;
  }

  atEnd() {
    return this.#next === this.#lines.length;
  }

  /** Returns the next block; or null, and then it has passed over what is wrong. */
  next() {
    try {
      return this.#block();
    } catch (error) {
      if (error instanceof BadInput) {
        this.#passOver();
        return null;
      }
      throw error;
    }
  }

  #block() {
    const words = this.#take().split(" ");
    if (words.length !== 2 || words[0] !== "merge") {
      throw new BadInput();
    }
    const sections = this.#sections();
    return {
      name: words[1],
      base: sections.get("base"),
      mine: sections.get("mine"),
      theirs: sections.get("theirs"),
    };
  }

  #sections() {
    const sections = new Map();
    for (let line = this.#take(); line !== "end"; line = this.#take()) {
      const words = line.split(" ");
      if (words.length !== 2 || !SECTIONS.includes(words[0])) {
        throw new BadInput();
      }
      sections.set(words[0], this.#text(number(words[1])));
    }
    if (sections.size < SECTIONS.length) {
      throw new BadInput();
    }
    return sections;
  }

  #text(count) {
    const text = [];
    while (text.length < count) {
      text.push(`${this.#take()}\n`);
    }
    return text;
  }

  #take() {
    if (this.atEnd()) {
      throw new BadInput();
    }
    this.#next += 1;
    return this.#lines[this.#next - 1];
  }

  #passOver() {
    while (this.#lines[this.#next - 1] !== "end" && !this.atEnd()) {
      this.#next += 1;
    }
  }
}

function number(word) {
  if (!/^[0-9]{1,4}$/.test(word)) {
    throw new BadInput();
  }
  return Number(word);
}
