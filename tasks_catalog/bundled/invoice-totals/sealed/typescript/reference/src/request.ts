// From a line to a command whose fields are all in their form and range.

import { Decimal, magnitude, parseDecimal } from "./decimals";
import { Refused } from "./refusal";
import { HALF_EVEN, HALF_UP } from "./rounding";

export const PERCENT = "percent";
export const AMOUNT = "amount";
export const FINEST = 3;
const LONGEST_NAME = 12;
// of a quantity and of a percentage, in thousandths
const MOST_QUANTITY = 999_999_999n;
const MOST_PERCENT = 100_000n;

const COMMANDS = new Map<string, readonly string[]>([
  ["currency", ["code", "digits"]],
  ["open", ["doc", "code", "rounding"]],
  ["line", ["doc", "line", "quantity", "price", "rate"]],
  ["discount", ["doc", "line", "kind", "value"]],
  ["rebate", ["doc", "kind", "value"]],
  ["lines", ["doc"]],
  ["total", ["doc"]],
]);
const NAMES = ["code", "doc", "line"];
const CHOICES = new Map<string, readonly string[]>([
  ["digits", ["0", "2", "3"]],
  ["rounding", [HALF_UP, HALF_EVEN]],
  ["kind", [PERCENT, AMOUNT]],
]);
const NUMBERS = ["quantity", "price", "rate", "value"];

// A command with its fields by name; a field that the command does not have must not be asked for.
export class Request {
  readonly #words: ReadonlyMap<string, string>;
  readonly #numbers: ReadonlyMap<string, Decimal>;

  constructor(
    readonly command: string,
    words: ReadonlyMap<string, string>,
    numbers: ReadonlyMap<string, Decimal>,
  ) {
    this.#words = words;
    this.#numbers = numbers;
  }

  word(name: string): string {
    return present(this.#words.get(name));
  }

  number(name: string): Decimal {
    return present(this.#numbers.get(name));
  }
}

// Returns the request that a line is, or throws Refused.
export function parse(line: string): Request {
  const [command = "", ...words] = line.split(" ");
  const names = COMMANDS.get(command);
  if (names === undefined) {
    throw new Refused("unknown_command");
  }
  if (words.length !== names.length) {
    throw new Refused("wrong_fields");
  }
  const fields = new Map(words.map((word, place) => [present(names[place]), word]));
  if (!NAMES.every((name) => isName(fields.get(name)))) {
    throw new Refused("bad_name");
  }
  if (![...CHOICES].every(([name, allowed]) => isOneOf(allowed, fields.get(name)))) {
    throw new Refused("bad_word");
  }
  const numbers = readNumbers(fields);
  if (![...numbers].every(([name, number]) => isAllowed(name, number, fields))) {
    throw new Refused("out_of_range");
  }
  return new Request(command, fields, numbers);
}

function isName(word: string | undefined): boolean {
  if (word === undefined) {
    return true;
  }
  // spread into code points, since length counts UTF-16 units
  const length = [...word].length;
  return 1 <= length && length <= LONGEST_NAME;
}

function isOneOf(allowed: readonly string[], word: string | undefined): boolean {
  return word === undefined || allowed.includes(word);
}

function readNumbers(fields: ReadonlyMap<string, string>): Map<string, Decimal> {
  const numbers = new Map<string, Decimal>();
  for (const name of NUMBERS) {
    const word = fields.get(name);
    if (word === undefined) {
      continue;
    }
    const number = parseDecimal(word);
    if (number === null) {
      throw new Refused("bad_number");
    }
    numbers.set(name, number);
  }
  return numbers;
}

function isAllowed(name: string, number: Decimal, fields: ReadonlyMap<string, string>): boolean {
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

function present<T>(value: T | undefined): T {
  if (value === undefined) {
    throw new Error("a field that the command does not have");
  }
  return value;
}
