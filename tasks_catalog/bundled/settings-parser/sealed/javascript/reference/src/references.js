// Follows references from setting to setting.

import { printedList, printedPath } from "./printing.js";
import { List, Reference, Single, referencesIn } from "./values.js";

export class Resolver {
  #given;

  constructor(given) {
    this.#given = given;
  }

  /** Returns start and kind of every error that shows only when the whole document is known. */
  errors() {
    const found = [];
    for (const path of this.#given.paths()) {
      for (const reference of this.#referencesOf(path)) {
        if (!this.#given.has(reference.path)) {
          found.push({ start: reference.start, kind: "undefined-reference" });
        } else if (this.#leadsTo(reference.path, path)) {
          found.push({ start: reference.start, kind: "reference-cycle" });
        }
      }
      const parts = this.#given.partsOf(path);
      if (parts.length > 1) {
        for (const part of parts.filter(({ value }) => this.#isSingle(value))) {
          found.push({ start: part.start, kind: "not-a-list" });
        }
      }
    }
    return found;
  }

  #referencesOf(path) {
    return this.#given.partsOf(path).flatMap(({ value }) => referencesIn(value));
  }

  #leadsTo(start, goal) {
    const waiting = [start];
    const seen = new Set([printedPath(start)]);
    while (waiting.length > 0) {
      const path = waiting.pop();
      if (printedPath(path) === printedPath(goal)) {
        return true;
      }
      for (const reference of this.#referencesOf(path)) {
        if (!seen.has(printedPath(reference.path))) {
          seen.add(printedPath(reference.path));
          waiting.push(reference.path);
        }
      }
    }
    return false;
  }

  /** Tells whether a value is known to be no list. */
  #isSingle(value) {
    const seen = new Set();
    let last = value;
    while (last instanceof Reference) {
      const target = printedPath(last.path);
      const parts = this.#given.partsOf(last.path);
      if (parts.length !== 1 || seen.has(target)) {
        return false;
      }
      seen.add(target);
      last = parts[0].value;
    }
    return last instanceof Single;
  }

  /** Returns the value of a setting as it is printed, in a document without errors. */
  printed(path) {
    const parts = this.#given.partsOf(path);
    return parts.length === 1 ? this.#printedValue(parts[0].value) : printedList(this.#elementsOf(path));
  }

  #printedValue(value) {
    if (value instanceof Reference) {
      return this.printed(value.path);
    }
    if (value instanceof List) {
      return printedList(this.#printedAll(value.elements));
    }
    return value.printed;
  }

  #printedAll(values) {
    return values.map((value) => this.#printedValue(value));
  }

  /** Returns the printed elements of a setting that is a list. */
  #elementsOf(path) {
    return this.#given
      .partsOf(path)
      .flatMap(({ value }) => (value instanceof Reference ? this.#elementsOf(value.path) : this.#printedAll(value.elements)));
  }
}
