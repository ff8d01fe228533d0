// From a line to a command whose fields are all in their form and range.

import { Refused } from "./outcome.js";

const LONGEST_NAME = 20;
const LONGEST_NUMBER = 15;
const LATEST = 999_999_999_999n;
export const LARGEST = 999_999_999_999_999n;

const name = (field) => ({ field, range: null });
const instant = (field) => ({ field, range: [0n, LATEST] });
const amount = (field, smallest) => ({ field, range: [smallest, LARGEST] });

const POSTING = [name("payer"), name("payee"), amount("amount", 1n)];
const KEYED = [instant("at"), name("client"), name("key")];
const COMMANDS = new Map([
  ["account", [name("account"), name("currency"), amount("overdraft", 0n)]],
  ["post", KEYED],
  ["hold", [...KEYED, name("account"), amount("amount", 1n), instant("until")]],
  ["capture", [...KEYED, name("hold"), name("payee"), amount("amount", 1n)]],
  ["release", [...KEYED, name("hold")]],
  ["reverse", [...KEYED, name("transaction")]],
  ["balance", [instant("at"), name("account")]],
  ["statement", [instant("start"), instant("end"), name("account")]],
]);

// Returns the command, its fields by name, the postings of a `post`, and as `content` what a repeat
// has in common with the first command. Numbers are BigInt. Throws Refused.
export function parse(line) {
  const [command, ...words] = line.split(" ");
  const fields = COMMANDS.get(command);
  if (fields === undefined) {
    throw new Refused("unknown_command");
  }
  const all = command === "post" ? withPostings(fields, words.length) : fields;
  if (words.length !== all.length || (command === "post" && all.length === fields.length)) {
    throw new Refused("wrong_fields");
  }
  const values = readValues(all, words);
  const named = Object.fromEntries(fields.map(({ field }, i) => [field, values[i]]));
  if (command === "statement" && named.start > named.end) {
    throw new Refused("out_of_range");
  }
  const postings = [];
  for (let i = fields.length; i < values.length; i += POSTING.length) {
    const [payer, payee, moved] = values.slice(i, i + POSTING.length);
    postings.push({ payer, payee, amount: moved });
  }
  return { command, fields: named, postings, content: [command, ...words.slice(1)].join(" ") };
}

function withPostings(fields, words) {
  const count = Math.max(Math.floor((words - fields.length) / POSTING.length), 0);
  return [...fields, ...Array(count).fill(POSTING).flat()];
}

function readValues(fields, words) {
  const isNumber = (i) => fields[i].range !== null;
  if (!words.every((word, i) => isNumber(i) || isName(word))) {
    throw new Refused("bad_name");
  }
  if (!words.every((word, i) => !isNumber(i) || /^(0|[1-9][0-9]*)$/.test(word))) {
    throw new Refused("bad_number");
  }
  return words.map((word, i) => (isNumber(i) ? readNumber(word, fields[i].range) : word));
}

function readNumber(word, [smallest, largest]) {
  const value = word.length > LONGEST_NUMBER ? null : BigInt(word);
  if (value === null || value < smallest || value > largest) {
    throw new Refused("out_of_range");
  }
  return value;
}

function isName(word) {
  // spread into code points, since length counts UTF-16 units
  const length = [...word].length;
  return 1 <= length && length <= LONGEST_NAME;
}
