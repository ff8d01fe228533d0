// From a line to a command whose fields are all in their form and range.

import { Refused } from "./outcome";

const LONGEST_NAME = 20;
const LONGEST_NUMBER = 15;
const LATEST = 999_999_999_999n;
export const LARGEST = 999_999_999_999_999n;

// A field is a name unless it has a range.
interface Field {
  readonly field: string;
  readonly range: readonly [bigint, bigint] | null;
}

export interface Posting {
  readonly payer: string;
  readonly payee: string;
  readonly amount: bigint;
}

const name = (field: string): Field => ({ field, range: null });
const instant = (field: string): Field => ({ field, range: [0n, LATEST] });
const amount = (field: string, smallest: bigint): Field => ({ field, range: [smallest, LARGEST] });

const POSTING = [name("payer"), name("payee"), amount("amount", 1n)];
const KEYED = [instant("at"), name("client"), name("key")];
const COMMANDS = new Map<string, readonly Field[]>([
  ["account", [name("account"), name("currency"), amount("overdraft", 0n)]],
  ["post", KEYED],
  ["hold", [...KEYED, name("account"), amount("amount", 1n), instant("until")]],
  ["capture", [...KEYED, name("hold"), name("payee"), amount("amount", 1n)]],
  ["release", [...KEYED, name("hold")]],
  ["reverse", [...KEYED, name("transaction")]],
  ["balance", [instant("at"), name("account")]],
  ["statement", [instant("start"), instant("end"), name("account")]],
]);

// A command with its fields by name; a field that the command does not have must not be asked for.
export class Request {
  readonly #names = new Map<string, string>();
  readonly #numbers = new Map<string, bigint>();
  readonly postings: Posting[] = [];

  // `content` is what a repeat has in common with the first command.
  constructor(
    readonly command: string,
    readonly content: string,
  ) {}

  get isKeyed(): boolean {
    return this.#names.has("key");
  }

  set({ field, range }: Field, word: string): void {
    if (range === null) {
      this.#names.set(field, word);
    } else {
      this.#numbers.set(field, BigInt(word));
    }
  }

  name(field: string): string {
    return present(this.#names.get(field));
  }

  number(field: string): bigint {
    return present(this.#numbers.get(field));
  }
}

// Returns the request that a line is, or throws Refused.
export function parse(line: string): Request {
  const [command = "", ...words] = line.split(" ");
  const fields = COMMANDS.get(command);
  if (fields === undefined) {
    throw new Refused("unknown_command");
  }
  const all = command === "post" ? withPostings(fields, words.length) : fields;
  if (words.length !== all.length || (command === "post" && all.length === fields.length)) {
    throw new Refused("wrong_fields");
  }
  check(all, words);
  const request = new Request(command, [command, ...words.slice(1)].join(" "));
  fields.forEach((field, i) => request.set(field, present(words[i])));
  for (let i = fields.length; i < words.length; i += POSTING.length) {
    const [payer = "", payee = "", moved = ""] = words.slice(i, i + POSTING.length);
    request.postings.push({ payer, payee, amount: BigInt(moved) });
  }
  if (command === "statement" && request.number("start") > request.number("end")) {
    throw new Refused("out_of_range");
  }
  return request;
}

function withPostings(fields: readonly Field[], words: number): readonly Field[] {
  const all = [...fields];
  while (all.length + POSTING.length <= words) {
    all.push(...POSTING);
  }
  return all;
}

function check(fields: readonly Field[], words: readonly string[]): void {
  const given = words.map((word, i) => ({ word, range: present(fields[i]).range }));
  if (!given.every(({ word, range }) => range !== null || isName(word))) {
    throw new Refused("bad_name");
  }
  if (!given.every(({ word, range }) => range === null || /^(0|[1-9][0-9]*)$/.test(word))) {
    throw new Refused("bad_number");
  }
  if (!given.every(({ word, range }) => range === null || isWithin(word, range))) {
    throw new Refused("out_of_range");
  }
}

function isName(word: string): boolean {
  // spread into code points, since length counts UTF-16 units
  const length = [...word].length;
  return 1 <= length && length <= LONGEST_NAME;
}

function isWithin(word: string, [smallest, largest]: readonly [bigint, bigint]): boolean {
  return word.length <= LONGEST_NUMBER && smallest <= BigInt(word) && BigInt(word) <= largest;
}

function present<T>(value: T | undefined): T {
  if (value === undefined) {
    throw new Error("a field that the command does not have");
  }
  return value;
}
