// The characters of a document.

const BYTE_ORDER_MARK = "\ufeff";

/** Characters by index, every line end a single line feed, without the byte order mark. */
export class Source {
  #characters;

  constructor(text) {
    const unmarked = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
    // One element for each code point, where a string would have one for each half of a surrogate pair.
    this.#characters = Array.from(unmarked.replaceAll("\r\n", "\n"));
  }

  /** Returns the character there, an empty string behind the last one. */
  at(index) {
    return this.#characters[index] ?? "";
  }

  slice(start, end) {
    return this.#characters.slice(start, end).join("");
  }

  /** Returns line and column of a character, both from 1. */
  place(index) {
    let line = 1;
    let column = 1;
    for (const character of this.#characters.slice(0, index)) {
      column += 1;
      if (character === "\n") {
        line += 1;
        column = 1;
      }
    }
    return { line, column };
  }
}
