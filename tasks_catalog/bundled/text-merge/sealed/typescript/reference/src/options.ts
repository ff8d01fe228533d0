// How one merge is done.

import { Refused } from "./refusal";

const LARGEST_SIZE = 40;
const COMPARISONS = ["exact", "ends", "trailing", "all"] as const;
const STYLES = ["short", "full"] as const;
const FAVOURS = ["none", "mine", "theirs"] as const;

export type Compare = (typeof COMPARISONS)[number];

/** The last three are labels. */
export interface Options {
  readonly compare: Compare;
  readonly style: (typeof STYLES)[number];
  readonly size: number;
  readonly favour: (typeof FAVOURS)[number];
  readonly mine: string;
  readonly base: string;
  readonly theirs: string;
}

const DEFAULTS: Options = {
  compare: "exact",
  style: "short",
  size: 7,
  favour: "none",
  mine: "mine",
  base: "base",
  theirs: "theirs",
};

export function readOptions(words: readonly string[]): Options {
  const given = words.map(readOption);
  const keys = new Set(given.flatMap((option) => Object.keys(option)));
  if (keys.size < given.length) {
    throw new Refused("repeated_option");
  }
  return Object.assign({}, DEFAULTS, ...given) as Options;
}

function readOption(word: string): Partial<Options> {
  const sign = word.indexOf("=");
  const value = word.slice(sign + 1);
  switch (sign < 0 ? "" : word.slice(0, sign)) {
    case "compare":
      return { compare: oneOf(COMPARISONS, value) };
    case "style":
      return { style: oneOf(STYLES, value) };
    case "favour":
      return { favour: oneOf(FAVOURS, value) };
    case "size":
      return { size: readSize(value) };
    case "mine":
      return { mine: value };
    case "base":
      return { base: value };
    case "theirs":
      return { theirs: value };
    default:
      throw new Refused("bad_option");
  }
}

function oneOf<Value extends string>(allowed: readonly Value[], value: string): Value {
  const found = allowed.find((each) => each === value);
  if (found === undefined) {
    throw new Refused("bad_option");
  }
  return found;
}

function readSize(value: string): number {
  const size = readNumber(value, LARGEST_SIZE);
  if (size === null || size === 0) {
    throw new Refused("bad_option");
  }
  return size;
}

/** Returns a number up to `most`, or null. */
export function readNumber(word: string, most: number): number | null {
  const number = /^(0|[1-9][0-9]*)$/.test(word) ? Number(word) : Infinity;
  return number <= most ? number : null;
}
