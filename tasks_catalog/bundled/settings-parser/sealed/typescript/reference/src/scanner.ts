// Moves through a document and reads keys, paths, strings and words.

import type { Mistake } from "./document";
import type { Source } from "./source";

const BLANKS = " \t";
const DIGITS = "0123456789";
const HEXADECIMAL = `${DIGITS}abcdefABCDEF`;
const ENDS_WORD = `${BLANKS}\n"#$,=[]{}\\`;
const NOT_FLUSH = `${BLANKS}]#\n`;
const ESCAPES = new Map([
  ["n", "\n"],
  ["t", "\t"],
  ['"', '"'],
  ["\\", "\\"],
]);
const LAST_CHARACTER = 0x10ffff;
const MOST_HEX_DIGITS = 6;

/** The statement cannot be read on. Its error was noted, the place is where reading goes on. */
export class Broken extends Error {}

/** `text` is null if there was an error in it. */
export interface Key {
  readonly text: string | null;
  readonly start: number;
}

export class Scanner {
  readonly errors: Mistake[] = [];
  position = 0;
  openLists = 0;
  readonly #source: Source;

  constructor(source: Source) {
    this.#source = source;
  }

  here(): string {
    return this.#source.at(this.position);
  }

  next(): string {
    return this.#source.at(this.position + 1);
  }

  hereIsIn(set: string): boolean {
    return this.here() !== "" && set.includes(this.here());
  }

  note(index: number, kind: string): void {
    this.errors.push({ ...this.#source.place(index), kind });
  }

  /** Notes an error that breaks the statement, skips to where reading goes on and returns Broken. */
  fail(index: number, kind: string): Broken {
    this.note(index, kind);
    this.#skip();
    return new Broken();
  }

  #skip(): void {
    for (;;) {
      while (!this.atLineEnd()) {
        this.position += 1;
      }
      const goesOn = this.#source.at(this.position - 1) === "\\";
      if (this.here() === "") {
        return;
      }
      this.position += 1;
      if (!goesOn && (this.openLists === 0 || this.flush())) {
        return;
      }
    }
  }

  atLineEnd(): boolean {
    return this.here() === "" || this.here() === "\n";
  }

  /** Tells, at the start of a line, whether it can only be the start of a statement. */
  flush(): boolean {
    return this.here() !== "" && !this.hereIsIn(NOT_FLUSH);
  }

  blanks(): void {
    for (;;) {
      if (this.hereIsIn(BLANKS)) {
        this.position += 1;
      } else if (this.here() === "\\" && this.next() === "\n") {
        this.position += 2;
      } else {
        return;
      }
    }
  }

  comment(): void {
    if (this.here() === "#") {
      while (!this.atLineEnd()) {
        this.position += 1;
      }
    }
  }

  /** Skips blanks, comments and line ends in the list that was opened there. */
  spaceInList(opening: number): void {
    for (;;) {
      this.blanks();
      this.comment();
      if (this.here() === "") {
        this.note(opening, "unclosed-list");
        throw new Broken();
      }
      if (this.here() !== "\n") {
        return;
      }
      this.position += 1;
      if (this.flush()) {
        this.note(opening, "unclosed-list");
        throw new Broken();
      }
    }
  }

  /** Reads the end of a statement. */
  end(): void {
    this.blanks();
    this.comment();
    if (!this.atLineEnd()) {
      throw this.fail(this.position, "expected-end");
    }
    this.position += 1;
  }

  /** Reads keys up to and with the closing character. */
  path(close: string): Key[] {
    const keys: Key[] = [];
    for (;;) {
      this.blanks();
      keys.push(this.key());
      this.blanks();
      if (this.here() === close) {
        this.position += 1;
        return keys;
      }
      if (this.here() !== ".") {
        throw this.fail(this.position, "expected-close");
      }
      this.position += 1;
    }
  }

  key(): Key {
    const start = this.position;
    if (this.here() === '"') {
      return { text: this.string(), start };
    }
    while (isBare(this.here())) {
      this.position += 1;
    }
    if (this.position === start) {
      throw this.fail(start, "expected-key");
    }
    return { text: this.#source.slice(start, this.position), start };
  }

  /** Returns the text of a string, null if there was an error in it. */
  string(): string | null {
    const opening = this.position;
    this.position += 1;
    const mistakes: number[] = [];
    let text = "";
    while (this.here() !== '"') {
      if (this.atLineEnd()) {
        throw this.fail(opening, "unclosed-string");
      }
      const start = this.position;
      const character = this.#character();
      if (character === null) {
        mistakes.push(start);
      } else {
        text += character;
      }
    }
    this.position += 1;
    for (const start of mistakes) {
      this.note(start, this.#source.at(start) === "\\" ? "bad-escape" : "control-character");
    }
    return mistakes.length > 0 ? null : text;
  }

  /** Returns the next character of a string, null if it may not stand there. */
  #character(): string | null {
    const character = this.here();
    this.position += 1;
    if (character === "\\") {
      return this.#escape();
    }
    return isControl(character) && character !== "\t" ? null : character;
  }

  #escape(): string | null {
    const letter = this.here();
    if (this.atLineEnd()) {
      return null;
    }
    this.position += 1;
    if (letter !== "u" || this.here() !== "{") {
      return ESCAPES.get(letter) ?? null;
    }
    this.position += 1;
    const start = this.position;
    while (this.hereIsIn(HEXADECIMAL)) {
      this.position += 1;
    }
    const digits = this.#source.slice(start, this.position);
    if (this.here() !== "}") {
      return null;
    }
    this.position += 1;
    if (digits.length < 1 || digits.length > MOST_HEX_DIGITS) {
      return null;
    }
    const number = Number.parseInt(digits, 16);
    if (number > LAST_CHARACTER || isSurrogate(number)) {
      return null;
    }
    return String.fromCodePoint(number);
  }

  /** Tells whether a word can start here. */
  atWord(): boolean {
    return this.here() !== "" && !this.hereIsIn(ENDS_WORD);
  }

  word(): string {
    const start = this.position;
    while (this.atWord()) {
      this.position += 1;
    }
    return this.#source.slice(start, this.position);
  }
}

export function isBare(character: string): boolean {
  return /^[A-Za-z0-9_-]$/.test(character);
}

export function isControl(character: string): boolean {
  return character < " " || character === "\x7f";
}

function isSurrogate(number: number): boolean {
  return number >= 0xd800 && number <= 0xdfff;
}
