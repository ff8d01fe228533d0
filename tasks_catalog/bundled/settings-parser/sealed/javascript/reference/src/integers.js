// Integers such as -1_000 and 0xff.

const DIGITS = "0123456789";
const HEXADECIMAL = `${DIGITS}abcdef`;
const LARGEST = 9_007_199_254_740_991;

/** Returns `number`, or `kind` and `offset` (from 0) of the mistake in the word. */
export function readInteger(word) {
  const negative = word.startsWith("-");
  let position = negative ? 1 : 0;
  let digits = DIGITS;
  if (word.startsWith("0x", position)) {
    digits = HEXADECIMAL;
    position += 2;
  } else if (word.startsWith("0", position) && word.length > position + 1) {
    return { kind: "bad-number", offset: position + 1 };
  }
  let number = 0;
  let digitMustFollow = true;
  for (; position < word.length; position += 1) {
    const digit = digits.indexOf(word[position].toLowerCase());
    if (digit >= 0) {
      if (number <= LARGEST) {
        number = number * digits.length + digit;
      }
      digitMustFollow = false;
    } else if (word[position] === "_" && !digitMustFollow) {
      digitMustFollow = true;
    } else {
      return { kind: "bad-number", offset: position };
    }
  }
  if (digitMustFollow) {
    return { kind: "bad-number", offset: position };
  }
  if (number > LARGEST) {
    return { kind: "out-of-range", offset: 0 };
  }
  // Not -number: the negative zero would not be printed as 0 everywhere.
  return { number: negative ? 0 - number : number };
}
