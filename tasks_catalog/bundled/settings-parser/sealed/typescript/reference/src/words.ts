// The values that are written as one word without quotes.

import { readDuration } from "./durations";
import { readInteger } from "./integers";
import type { WrongWord } from "./wrong_word";

/** Returns the value as it is printed, or the mistake. */
export function readWord(word: string): string | WrongWord {
  if (word === "true" || word === "false") {
    return word;
  }
  if (!/^[0-9-]/.test(word)) {
    return { kind: "unknown-word", offset: 0 };
  }
  const isDuration = !/^-?0x/.test(word) && /[dhms]/.test(word);
  const number = isDuration ? readDuration(word) : readInteger(word);
  if (typeof number !== "number") {
    return number;
  }
  return isDuration ? `${number}ms` : `${number}`;
}
