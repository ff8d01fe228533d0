// Reads a document statement by statement.

import { Given } from "./given.js";
import { comparePaths, printedPath, printedString } from "./printing.js";
import { Resolver } from "./references.js";
import { Broken, Scanner } from "./scanner.js";
import { Source } from "./source.js";
import { List, Reference, Single, Unknown } from "./values.js";
import { readWord } from "./words.js";

/** Returns the document with all settings, or with all errors. */
export function read(text) {
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
  #scanner;
  #section = [];

  constructor(scanner) {
    this.#scanner = scanner;
    this.given = new Given();
  }

  statement() {
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

  #header() {
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
      this.#scanner.note(keys[clash - 1].start, "key-section-clash");
      return;
    }
    this.#section = path;
  }

  #setting() {
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
  #operator() {
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

  #wholeValue() {
    try {
      const value = this.#value();
      this.#scanner.end();
      return value;
    } catch (error) {
      rethrowUnlessBroken(error);
      return new Unknown();
    }
  }

  #value() {
    const first = this.#scanner.here();
    if (first === '"') {
      const text = this.#scanner.string();
      return text === null ? new Unknown() : new Single(printedString(text));
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

  #list() {
    const opening = this.#scanner.position;
    this.#scanner.position += 1;
    this.#scanner.openLists += 1;
    const elements = [];
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
    return new List(elements);
  }

  #reference() {
    const start = this.#scanner.position;
    this.#scanner.position += 2;
    const path = pathOf(this.#scanner.path("}"));
    return path === null ? new Unknown() : new Reference(path, start);
  }

  #word() {
    const start = this.#scanner.position;
    const { printed, kind, offset } = readWord(this.#scanner.word());
    if (kind !== undefined) {
      this.#scanner.note(start + offset, kind);
      return new Unknown();
    }
    return new Single(printed);
  }
}

/** Returns the path, null if there was an error in one of the keys. */
function pathOf(keys) {
  const path = keys.map((key) => key.text);
  return path.includes(null) ? null : path;
}

function rethrowUnlessBroken(error) {
  if (!(error instanceof Broken)) {
    throw error;
  }
}
