// The values that are written as one word without quotes.

import { readDuration } from "./durations.js";

const LONGEST_INTEGER = 15;

/** Returns `printed`, the value as it is printed, or `kind` and `offset` (from 0) of the mistake in the word. */
export function readWord(word) {
  if (word === "true" || word === "false") {
    return { printed: word };
  }
  if (!/^[0-9]/.test(word)) {
    return { kind: "syntax", offset: 0 };
  }
  if (/[dhms]/.test(word)) {
    const { number, kind, offset } = readDuration(word);
    return kind === undefined ? { printed: `${number}ms` } : { kind, offset };
  }
  if (word.length > LONGEST_INTEGER || !/^[0-9]+$/.test(word)) {
    return { kind: "bad-number", offset: 0 };
  }
  return { printed: word };
}
