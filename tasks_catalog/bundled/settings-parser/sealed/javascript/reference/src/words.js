// The values that are written as one word without quotes.

import { readDuration } from "./durations.js";
import { readInteger } from "./integers.js";

/** Returns `printed`, the value as it is printed, or `kind` and `offset` (from 0) of the mistake in the word. */
export function readWord(word) {
  if (word === "true" || word === "false") {
    return { printed: word };
  }
  if (!/^[0-9-]/.test(word)) {
    return { kind: "unknown-word", offset: 0 };
  }
  const isDuration = !/^-?0x/.test(word) && /[dhms]/.test(word);
  const { number, kind, offset } = isDuration ? readDuration(word) : readInteger(word);
  if (kind !== undefined) {
    return { kind, offset };
  }
  return { printed: isDuration ? `${number}ms` : `${number}` };
}
