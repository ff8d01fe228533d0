// The settings and sections that a document gives.

import { printedPath } from "./printing";
import { type Part, type Path, UNKNOWN } from "./values";

/** Paths are looked up by how they are printed, which no two paths share. */
export class Given {
  readonly #settings = new Map<string, { readonly path: Path; readonly parts: Part[] }>();
  readonly #sections = new Set<string>();

  /** Returns all paths of settings, in the order of the document. */
  paths(): Path[] {
    return [...this.#settings.values()].map(({ path }) => path);
  }

  /** Returns the parts of the value of a setting, none if it is not given. */
  partsOf(path: Path): readonly Part[] {
    return this.#settings.get(printedPath(path))?.parts ?? [];
  }

  has(path: Path): boolean {
    return this.partsOf(path).length > 0;
  }

  /** Makes the path a section. Returns 0, or how many of its keys are the path of a setting. */
  openSection(path: Path): number {
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
  set(path: Path, part: Part): string | null {
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
  append(path: Path, part: Part): string | null {
    if (this.#sections.has(printedPath(path))) {
      return "key-section-clash";
    }
    const setting = this.#settings.get(printedPath(path));
    if (setting === undefined) {
      this.#settings.set(printedPath(path), { path, parts: [{ value: UNKNOWN, start: part.start }] });
      return "unset-append";
    }
    setting.parts.push(part);
    return null;
  }
}
