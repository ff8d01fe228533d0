// Reads a document statement by statement.

import type { Document } from "./document";
import { Given } from "./given";
import { comparePaths, printedPath, printedString } from "./printing";
import { Resolver } from "./references";
import { Broken, type Key, Scanner } from "./scanner";
import { Source } from "./source";
import { type Path, UNKNOWN, type Value } from "./values";
import { readWord } from "./words";

/** Returns the document with all settings, or with all errors. */
export function read(text: string): Document {
  const scanner = new Scanner(new Source(text));
  const reader = new Reader(scanner);
  while (scanner.here() !== "") {
    reader.statement();
  }
  const resolver = new Resolver(reader.given);
  for (const { start, kind } of resolver.errors()) {
    scanner.note(start, kind);
  }
  if (scanner.errors.length > 0) {
    return { settings: [], errors: scanner.errors };
  }
  const paths = reader.given.paths().sort(comparePaths);
  const settings = paths.map((path) => ({ path: printedPath(path), value: resolver.printed(path) }));
  return { settings, errors: [] };
}

class Reader {
  readonly given = new Given();
  readonly #scanner: Scanner;
  #section: Path | null = [];

  constructor(scanner: Scanner) {
    this.#scanner = scanner;
  }

  statement(): void {
    this.#scanner.openLists = 0;
    try {
      this.#scanner.blanks();
      if (this.#scanner.atLineEnd() || this.#scanner.here() === "#") {
        this.#scanner.end();
      } else if (this.#scanner.here() === "[") {
        this.#header();
      } else {
        this.#setting();
      }
    } catch (error) {
      rethrowUnlessBroken(error);
    }
  }

  #header(): void {
    // Until the header has proved to be right, there is no section to put settings into.
    this.#section = null;
    this.#scanner.position += 1;
    const keys = this.#scanner.path("]");
    this.#scanner.end();
    const path = pathOf(keys);
    if (path === null) {
      return;
    }
    const clash = this.given.openSection(path);
    if (clash > 0) {
      this.#scanner.note(keys[clash - 1]!.start, "key-section-clash");
      return;
    }
    this.#section = path;
  }

  #setting(): void {
    const key = this.#scanner.key();
    this.#scanner.blanks();
    const appends = this.#operator();
    this.#scanner.blanks();
    const start = this.#scanner.position;
    const part = { value: this.#wholeValue(), start };
    if (this.#section === null || key.text === null) {
      return;
    }
    const path = [...this.#section, key.text];
    const kind = appends ? this.given.append(path, part) : this.given.set(path, part);
    if (kind !== null) {
      this.#scanner.note(key.start, kind);
    }
  }

  /** Tells whether the operator appends. */
  #operator(): boolean {
    if (this.#scanner.here() === "=") {
      this.#scanner.position += 1;
      return false;
    }
    if (this.#scanner.here() === "+" && this.#scanner.next() === "=") {
      this.#scanner.position += 2;
      return true;
    }
    throw this.#scanner.fail(this.#scanner.position, "expected-operator");
  }

  #wholeValue(): Value {
    try {
      const value = this.#value();
      this.#scanner.end();
      return value;
    } catch (error) {
      rethrowUnlessBroken(error);
      return UNKNOWN;
    }
  }

  #value(): Value {
    const first = this.#scanner.here();
    if (first === '"') {
      const text = this.#scanner.string();
      return text === null ? UNKNOWN : { type: "single", printed: printedString(text) };
    }
    if (first === "[") {
      return this.#list();
    }
    if (first === "$" && this.#scanner.next() === "{") {
      return this.#reference();
    }
    if (!this.#scanner.atWord()) {
      throw this.#scanner.fail(this.#scanner.position, "expected-value");
    }
    return this.#word();
  }

  #list(): Value {
    const opening = this.#scanner.position;
    this.#scanner.position += 1;
    this.#scanner.openLists += 1;
    const elements: Value[] = [];
    this.#scanner.spaceInList(opening);
    while (this.#scanner.here() !== "]") {
      elements.push(this.#value());
      this.#scanner.spaceInList(opening);
      if (this.#scanner.here() === ",") {
        this.#scanner.position += 1;
        this.#scanner.spaceInList(opening);
      } else if (this.#scanner.here() !== "]") {
        throw this.#scanner.fail(this.#scanner.position, "expected-comma");
      }
    }
    this.#scanner.position += 1;
    this.#scanner.openLists -= 1;
    return { type: "list", elements };
  }

  #reference(): Value {
    const start = this.#scanner.position;
    this.#scanner.position += 2;
    const path = pathOf(this.#scanner.path("}"));
    return path === null ? UNKNOWN : { type: "reference", path, start };
  }

  #word(): Value {
    const start = this.#scanner.position;
    const printed = readWord(this.#scanner.word());
    if (typeof printed !== "string") {
      this.#scanner.note(start + printed.offset, printed.kind);
      return UNKNOWN;
    }
    return { type: "single", printed };
  }
}

/** Returns the path, null if there was an error in one of the keys. */
function pathOf(keys: readonly Key[]): Path | null {
  const path = keys.map((key) => key.text);
  return path.every((text) => text !== null) ? path : null;
}

function rethrowUnlessBroken(error: unknown): void {
  if (!(error instanceof Broken)) {
    throw error;
  }
}
