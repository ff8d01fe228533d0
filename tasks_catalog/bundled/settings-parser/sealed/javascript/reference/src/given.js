// The settings and sections that a document gives.

import { printedPath } from "./printing.js";
import { Unknown } from "./values.js";

/** Paths are lists of keys. They are looked up by how they are printed, which no two paths share. */
export class Given {
  #settings = new Map();
  #sections = new Set();

  /** Returns all paths of settings, in the order of the document. */
  paths() {
    return [...this.#settings.values()].map(({ path }) => path);
  }

  /** Returns the parts of the value of a setting, none if it is not given. */
  partsOf(path) {
    return this.#settings.get(printedPath(path))?.parts ?? [];
  }

  has(path) {
    return this.partsOf(path).length > 0;
  }

  /** Makes the path a section. Returns 0, or how many of its keys are the path of a setting. */
  openSection(path) {
    const beginnings = path.map((_, index) => path.slice(0, index + 1));
    for (const beginning of beginnings) {
      if (this.has(beginning)) {
        return beginning.length;
      }
    }
    for (const beginning of beginnings) {
      this.#sections.add(printedPath(beginning));
    }
    return 0;
  }

  /** Returns the kind of error, null if there is none. */
  set(path, part) {
    if (this.#sections.has(printedPath(path))) {
      return "key-section-clash";
    }
    if (this.has(path)) {
      return "duplicate-key";
    }
    this.#settings.set(printedPath(path), { path, parts: [part] });
    return null;
  }

  /** Returns the kind of error, null if there is none. */
  append(path, part) {
    if (this.#sections.has(printedPath(path))) {
      return "key-section-clash";
    }
    if (!this.has(path)) {
      this.#settings.set(printedPath(path), { path, parts: [{ value: new Unknown(), start: part.start }] });
      return "unset-append";
    }
    this.partsOf(path).push(part);
    return null;
  }
}
