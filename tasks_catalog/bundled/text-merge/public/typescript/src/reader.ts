// From input lines to blocks.

const SECTIONS = ["base", "mine", "theirs"];

class BadInput extends Error {}

/** One merge. A text is an array of lines with their line feeds. */
export interface Block {
  readonly name: string;
  readonly base: readonly string[];
  readonly mine: readonly string[];
  readonly theirs: readonly string[];
}

/** Takes the blocks from the input. */
export class Reader {
  readonly #lines: readonly string[];
  #next = 0;

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  atEnd(): boolean {
    return this.#next === this.#lines.length;
  }

  /** Returns the next block; or null, and then it has passed over what is wrong. */
  next(): Block | null {
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

  #block(): Block {
    const [command, name, ...more] = this.#take().split(" ");
    if (command !== "merge" || name === undefined || more.length > 0) {
      throw new BadInput();
    }
    return { name, ...this.#sections() };
  }

  #sections(): Omit<Block, "name"> {
    const sections = new Map<string, string[]>();
    for (let line = this.#take(); line !== "end"; line = this.#take()) {
      const [section = "", count, ...more] = line.split(" ");
      if (!SECTIONS.includes(section) || count === undefined || more.length > 0) {
        throw new BadInput();
      }
      sections.set(section, this.#text(number(count)));
    }
    const [base, mine, theirs] = SECTIONS.map((section) => sections.get(section));
    if (!base || !mine || !theirs) {
      throw new BadInput();
    }
    return { base, mine, theirs };
  }

  #text(count: number): string[] {
    const text: string[] = [];
    while (text.length < count) {
      text.push(`${this.#take()}\n`);
    }
    return text;
  }

  #take(): string {
    const line = this.#lines[this.#next];
    if (line === undefined) {
      throw new BadInput();
    }
    this.#next += 1;
    return line;
  }

  #passOver(): void {
    while (this.#lines[this.#next - 1] !== "end" && !this.atEnd()) {
      this.#next += 1;
    }
  }
}

function number(word: string): number {
  if (!/^[0-9]{1,4}$/.test(word)) {
    throw new BadInput();
  }
  return Number(word);
}
