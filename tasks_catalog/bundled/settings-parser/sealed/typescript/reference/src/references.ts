// Follows references from setting to setting.

import type { Given } from "./given";
import { printedList, printedPath } from "./printing";
import { type Path, type Reference, referencesIn, type Value } from "./values";

export class Resolver {
  readonly #given: Given;

  constructor(given: Given) {
    this.#given = given;
  }

  /** Returns start and kind of every error that shows only when the whole document is known. */
  errors(): { start: number; kind: string }[] {
    const found: { start: number; kind: string }[] = [];
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

  #referencesOf(path: Path): Reference[] {
    return this.#given.partsOf(path).flatMap(({ value }) => referencesIn(value));
  }

  #leadsTo(start: Path, goal: Path): boolean {
    const waiting = [start];
    const seen = new Set([printedPath(start)]);
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
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
  #isSingle(value: Value): boolean {
    const seen = new Set<string>();
    let last = value;
    while (last.type === "reference") {
      const target = printedPath(last.path);
      const [part, ...appended] = this.#given.partsOf(last.path);
      if (part === undefined || appended.length > 0 || seen.has(target)) {
        return false;
      }
      seen.add(target);
      last = part.value;
    }
    return last.type === "single";
  }

  /** Returns the value of a setting as it is printed, in a document without errors. */
  printed(path: Path): string {
    const [part, ...appended] = this.#given.partsOf(path);
    return part !== undefined && appended.length === 0 ? this.#printedValue(part.value) : printedList(this.#elementsOf(path));
  }

  #printedValue(value: Value): string {
    if (value.type === "reference") {
      return this.printed(value.path);
    }
    if (value.type === "list") {
      return printedList(this.#printedAll(value.elements));
    }
    return value.type === "single" ? value.printed : "";
  }

  #printedAll(values: readonly Value[]): string[] {
    return values.map((value) => this.#printedValue(value));
  }

  /** Returns the printed elements of a setting that is a list. */
  #elementsOf(path: Path): string[] {
    return this.#given.partsOf(path).flatMap(({ value }) => {
      if (value.type === "reference") {
        return this.#elementsOf(value.path);
      }
      return value.type === "list" ? this.#printedAll(value.elements) : [];
    });
  }
}
