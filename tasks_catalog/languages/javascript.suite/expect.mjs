/** The matchers of Jest that assert on values, by the same rules; no mocks, no snapshots. */
import { equal } from "./equality.mjs";

const { is } = Object;

/** An assertion that does not hold, as opposed to whatever else a test may throw. */
export class ExpectationFailed extends Error {}

const MATCHERS = {
  toBe: (got, wanted) => is(got, wanted),
  toEqual: (got, wanted) => equal(got, wanted, { strict: false }),
  toStrictEqual: (got, wanted) => equal(got, wanted, { strict: true }),
  toBeCloseTo: closeTo,
  toBeDefined: (got) => got !== undefined,
  toBeUndefined: (got) => got === undefined,
  toBeNull: (got) => got === null,
  toBeNaN: (got) => is(got, NaN),
  toBeTruthy: (got) => Boolean(got),
  toBeFalsy: (got) => !got,
  toBeInstanceOf: (got, kind) => got instanceof kind,
  toBeGreaterThan: (got, other) => got > other,
  toBeGreaterThanOrEqual: (got, other) => got >= other,
  toBeLessThan: (got, other) => got < other,
  toBeLessThanOrEqual: (got, other) => got <= other,
  toContain: (got, item) =>
    typeof got === "string" ? got.includes(item) : [...got].some((one) => one === item),
  toContainEqual: (got, item) => [...got].some((one) => equal(one, item, { strict: false })),
  toHaveLength: (got, length) => got.length === length,
  toMatch: (got, pattern) =>
    typeof pattern === "string" ? got.includes(pattern) : new RegExp(pattern).test(got),
  toThrow: throws,
  toThrowError: throws,
};

function closeTo(got, wanted, digits = 2) {
  if (typeof got !== "number" || typeof wanted !== "number") {
    throw new TypeError("toBeCloseTo takes numbers");
  }
  return is(got, wanted) || Math.abs(wanted - got) < 10 ** -digits / 2;
}

function throws(got, wanted, fromPromise) {
  const thrown = fromPromise ? { error: got } : attempt(got);
  if (!thrown) {
    return false;
  }
  const message = thrown.error?.message ?? String(thrown.error);
  if (wanted === undefined) {
    return true;
  }
  if (typeof wanted === "string") {
    return message.includes(wanted);
  }
  if (wanted instanceof RegExp) {
    return wanted.test(message);
  }
  return typeof wanted === "function" ? thrown.error instanceof wanted : message === wanted.message;
}

function attempt(action) {
  try {
    action();
    return undefined;
  } catch (error) {
    return { error };
  }
}

function demand(holds, name) {
  if (!holds) {
    throw new ExpectationFailed(name);
  }
}

function settled(promise, kept, negated) {
  const wait = (name) => async (...wanted) => {
    const outcome = await Promise.resolve(typeof promise === "function" ? promise() : promise).then(
      (value) => ({ kept: true, value }),
      (value) => ({ kept: false, value }),
    );
    demand(outcome.kept === kept, name);
    const isThrow = MATCHERS[name] === throws;
    const extra = isThrow ? [wanted[0], !kept] : wanted;
    demand(MATCHERS[name](outcome.value, ...extra) !== negated, name);
  };
  return table(wait);
}

function table(make) {
  return Object.fromEntries(Object.keys(MATCHERS).map((name) => [name, make(name)]));
}

function matchers(got, negated) {
  return table((name) => (...wanted) => {
    const given = MATCHERS[name] === throws ? wanted.slice(0, 1) : wanted;
    demand(MATCHERS[name](got, ...given) !== negated, name);
  });
}

/** `expect(value).toBe(…)`, with `.not`, `.resolves`, `.rejects`. */
export const expect = Object.freeze((got) => ({
  ...matchers(got, false),
  not: matchers(got, true),
  resolves: { ...settled(got, true, false), not: settled(got, true, true) },
  rejects: { ...settled(got, false, false), not: settled(got, false, true) },
}));
