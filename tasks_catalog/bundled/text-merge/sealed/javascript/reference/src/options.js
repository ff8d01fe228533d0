// How one merge is done.

import { Refused } from "./refusal.js";

const LARGEST_SIZE = 40;
const VALUES = {
  compare: ["exact", "ends", "trailing", "all"],
  style: ["short", "full"],
  favour: ["none", "mine", "theirs"],
};
const LABELS = ["mine", "base", "theirs"];

/** What is left out of a header. The last three are labels. */
const DEFAULTS = {
  compare: "exact",
  style: "short",
  size: 7,
  favour: "none",
  mine: "mine",
  base: "base",
  theirs: "theirs",
};

export function readOptions(words) {
  const pairs = words.map(readOption);
  const given = new Map(pairs);
  if (given.size < pairs.length) {
    throw new Refused("repeated_option");
  }
  return { ...DEFAULTS, ...Object.fromEntries(given) };
}

function readOption(word) {
  const sign = word.indexOf("=");
  const key = word.slice(0, sign);
  const value = word.slice(sign + 1);
  if (sign >= 0 && key === "size") {
    return [key, readSize(value)];
  }
  const allowed = LABELS.includes(key) || (Object.hasOwn(VALUES, key) && VALUES[key].includes(value));
  if (sign < 0 || !allowed) {
    throw new Refused("bad_option");
  }
  return [key, value];
}

function readSize(value) {
  const size = readNumber(value, LARGEST_SIZE);
  if (size === null || size === 0) {
    throw new Refused("bad_option");
  }
  return size;
}

/** Returns a number up to `most`, or null. */
export function readNumber(word, most) {
  const number = /^(0|[1-9][0-9]*)$/.test(word) ? Number(word) : Infinity;
  return number <= most ? number : null;
}
