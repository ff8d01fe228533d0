// The values that are written as one word without quotes.

import { readDuration } from "./durations";
import type { WrongWord } from "./wrong_word";

const LONGEST_INTEGER = 15;

/** Returns the value as it is printed, or the mistake. */
export function readWord(word: string): string | WrongWord {
  if (word === "true" || word === "false") {
    return word;
  }
  if (!/^[0-9]/.test(word)) {
    return { kind: "syntax", offset: 0 };
  }
  if (/[dhms]/.test(word)) {
    const milliseconds = readDuration(word);
    return typeof milliseconds === "number" ? `${milliseconds}ms` : milliseconds;
  }
  if (word.length > LONGEST_INTEGER || !/^[0-9]+$/.test(word)) {
    return { kind: "bad-number", offset: 0 };
  }
  return word;
}
