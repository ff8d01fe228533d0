// From input lines to blocks.

import { type Options, readNumber, readOptions } from "./options";
import { Refused } from "./refusal";

const SECTIONS = ["base", "mine", "theirs"];
const NAME = /^[a-z0-9._-]{1,30}$/;
const LONGEST_TEXT = 2000;

/** One merge. A text is an array of lines with their endings. */
export interface Block {
  readonly name: string;
  readonly options: Options;
  readonly base: readonly string[];
  readonly mine: readonly string[];
  readonly theirs: readonly string[];
}

/** The number of the wrong line and what is wrong. */
export interface Refusal {
  readonly line: number;
  readonly kind: string;
}

interface Extent {
  readonly count: number;
  readonly unfinished: boolean;
}

/** Takes the blocks from the input. */
export class Reader {
  readonly #lines: readonly string[];
  #next = 0;
  readonly #names = new Set<string>();

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  atEnd(): boolean {
    return this.#next === this.#lines.length;
  }

  /** Returns the next block; or a refusal, and then it has passed over what is refused. */
  next(): { block: Block } | { refusal: Refusal } {
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

  #block(): Block {
    const { name, options } = this.#header();
    const sections = this.#sections();
    this.#names.add(name);
    return { name, options, ...sections };
  }

  #header(): Pick<Block, "name" | "options"> {
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

  #sections(): Pick<Block, "base" | "mine" | "theirs"> {
    const sections = new Map<string, string[]>();
    for (let line = this.#take(); line !== "end"; line = this.#take()) {
      const [section = "", ...words] = line.split(" ");
      if (!SECTIONS.includes(section)) {
        throw new Refused("unexpected_line");
      }
      const { count, unfinished } = readExtent(words);
      if (sections.has(section)) {
        throw new Refused("repeated_section");
      }
      sections.set(section, this.#text(count, unfinished));
    }
    const [base, mine, theirs] = SECTIONS.map((section) => sections.get(section));
    if (!base || !mine || !theirs) {
      throw new Refused("missing_section");
    }
    return { base, mine, theirs };
  }

  #text(count: number, unfinished: boolean): string[] {
    const text: string[] = [];
    while (text.length < count) {
      const end = unfinished && text.length === count - 1 ? "" : "\n";
      text.push(this.#take() + end);
    }
    return text;
  }

  #take(): string {
    const line = this.#lines[this.#next];
    if (line === undefined) {
      throw new Refused("end_of_input");
    }
    this.#next += 1;
    return line;
  }

  /** Goes on behind the next `end`, which may be the line that was taken last. */
  #passOver(): void {
    while (this.#lines[this.#next - 1] !== "end" && !this.atEnd()) {
      this.#next += 1;
    }
  }
}

/** Returns the number of lines and whether the last one is unfinished. */
function readExtent([number = "", ...more]: string[]): Extent {
  const count = readNumber(number, LONGEST_TEXT);
  const unfinished = more.length === 1 && more[0] === "unfinished";
  if (count === null || (more.length > 0 && !unfinished) || (unfinished && count === 0)) {
    throw new Refused("bad_section");
  }
  return { count, unfinished };
}
