// From a line to a command whose fields are all in their form and range.

import { magnitude, parseDecimal } from "./decimals.js";
import { Refused } from "./refusal.js";
import { HALF_EVEN, HALF_UP } from "./rounding.js";

export const PERCENT = "percent";
export const AMOUNT = "amount";
export const FINEST = 3;
const LONGEST_NAME = 12;
// of a quantity and of a percentage, in thousandths
const MOST_QUANTITY = 999_999_999n;
const MOST_PERCENT = 100_000n;

const COMMANDS = new Map([
  ["currency", ["code", "digits"]],
  ["open", ["doc", "code", "rounding"]],
  ["line", ["doc", "line", "quantity", "price", "rate"]],
  ["discount", ["doc", "line", "kind", "value"]],
  ["rebate", ["doc", "kind", "value"]],
  ["lines", ["doc"]],
  ["total", ["doc"]],
]);
const NAMES = ["code", "doc", "line"];
const CHOICES = new Map([
  ["digits", ["0", "2", "3"]],
  ["rounding", [HALF_UP, HALF_EVEN]],
  ["kind", [PERCENT, AMOUNT]],
]);
const NUMBERS = ["quantity", "price", "rate", "value"];

// Returns the command word and its fields by name, or throws Refused.
export function parse(line) {
  const [command, ...words] = line.split(" ");
  const names = COMMANDS.get(command);
  if (names === undefined) {
    throw new Refused("unknown_command");
  }
  if (words.length !== names.length) {
    throw new Refused("wrong_fields");
  }
  const fields = new Map(names.map((name, place) => [name, words[place]]));
  if (!NAMES.every((name) => !fields.has(name) || isName(fields.get(name)))) {
    throw new Refused("bad_name");
  }
  if (![...CHOICES].every(([name, allowed]) => !fields.has(name) || allowed.includes(fields.get(name)))) {
    throw new Refused("bad_word");
  }
  const numbers = NUMBERS.filter((name) => fields.has(name)).map((name) => [name, parseDecimal(fields.get(name))]);
  if (numbers.some(([, number]) => number === null)) {
    throw new Refused("bad_number");
  }
  if (!numbers.every(([name, number]) => isAllowed(name, number, fields))) {
    throw new Refused("out_of_range");
  }
  return { command, ...Object.fromEntries([...fields, ...numbers]) };
}

function isName(word) {
  // spread into code points, since length counts UTF-16 units
  const length = [...word].length;
  return 1 <= length && length <= LONGEST_NAME;
}

function isAllowed(name, number, fields) {
  if (name === "quantity") {
    return (
      number.places <= FINEST && number.digits !== 0n && magnitude(number.scaled(FINEST)) <= MOST_QUANTITY
    );
  }
  if (name === "rate" || fields.get("kind") === PERCENT) {
    return number.places <= FINEST && number.digits >= 0n && number.scaled(FINEST) <= MOST_PERCENT;
  }
  return number.digits >= 0n;
}
