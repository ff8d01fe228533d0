/** Collects and runs tests as Jest declares them: describe, test, hooks, promises, callbacks. */
import { ExpectationFailed, expect } from "./expect.mjs";

const LONGEST_TEST_MS = 5000;
const SEPARATOR = " > ";

const { setTimeout, clearTimeout } = globalThis;

class Group {
  constructor(title, parent) {
    this.title = title;
    this.parent = parent;
    this.children = [];
    this.hooks = { beforeAll: [], beforeEach: [], afterEach: [], afterAll: [] };
  }

  /** The groups from the outermost to this one. */
  get line() {
    return this.parent ? [...this.parent.line, this] : [this];
  }
}

const root = new Group("", undefined);
const taken = new Map();
let open = root;

function group(title, declare) {
  const inner = new Group(String(title), open);
  open.children.push(inner);
  open = inner;
  try {
    declare();
  } finally {
    open = inner.parent;
  }
}

function declareTest(title, body, limit = LONGEST_TEST_MS) {
  const titles = [...open.line.slice(1).map((one) => one.title), String(title)];
  const name = titles.join(SEPARATOR);
  const count = (taken.get(name) ?? 0) + 1;
  taken.set(name, count);
  open.children.push({ name: count > 1 ? `${name} #${count}` : name, body, limit, group: open });
}

function hook(kind) {
  return (body) => {
    open.hooks[kind].push(body);
  };
}

// What is skipped with `.skip` is no test of the suite; xtest and xit are switched on.
export const describe = Object.assign((...all) => group(...all), { skip() {} });
export const test = Object.assign((...all) => declareTest(...all), { skip() {}, todo() {} });
export const it = test;
export const xtest = test;
export const xit = test;
export const xdescribe = describe;
export const beforeAll = hook("beforeAll");
export const beforeEach = hook("beforeEach");
export const afterEach = hook("afterEach");
export const afterAll = hook("afterAll");
export { expect };

/** Makes all of it global, so that nothing can take its place. */
export function declareGlobals() {
  const names = { describe, test, it, xtest, xit, xdescribe, expect };
  for (const [name, value] of Object.entries({
    ...names,
    beforeAll,
    beforeEach,
    afterEach,
    afterAll,
  })) {
    Object.defineProperty(globalThis, name, { value, writable: false, configurable: false });
  }
}

/** Runs everything in order; how many tests there were, and whether all passed. */
export async function runTests(tell) {
  const totals = { ended: 0, flawless: true };
  await runGroup(root, tell, totals);
  return totals;
}

async function runGroup(one, tell, totals) {
  const broken = await outcomeOf(() => runHooks(one.hooks.beforeAll));
  for (const child of one.children) {
    if (child instanceof Group) {
      await runGroup(child, tell, totals);
    } else {
      tell({ event: "begin", test: child.name });
      const { status, detail } = broken ?? (await outcomeOf(() => runTest(child))) ?? PASSED;
      totals.ended += 1;
      totals.flawless &&= status === "passed";
      tell({ event: "end", test: child.name, status, detail });
    }
  }
  await outcomeOf(() => runHooks(one.hooks.afterAll));
}

const PASSED = { status: "passed", detail: "" };

/** What an action ended with; undefined where nothing was thrown. */
async function outcomeOf(action) {
  try {
    await action();
    return undefined;
  } catch (error) {
    if (error instanceof ExpectationFailed) {
      return { status: "failed", detail: "an expectation does not hold" };
    }
    const kind = error instanceof Error ? error.constructor.name : typeof error;
    return { status: "error", detail: `it ended with ${kind}` };
  }
}

async function runTest({ body, limit, group: own }) {
  try {
    for (const one of own.line) {
      await runHooks(one.hooks.beforeEach);
    }
    await withinTime(body, limit);
  } finally {
    for (const one of own.line.reverse()) {
      await runHooks(one.hooks.afterEach);
    }
  }
}

async function runHooks(hooks) {
  for (const body of hooks) {
    await withinTime(body, LONGEST_TEST_MS);
  }
}

/** Waits for a body that returns a promise, or takes a callback. */
async function withinTime(body, limit) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new ExpectationFailed("it takes too long")), limit);
  });
  try {
    await Promise.race([body.length > 0 ? called(body) : body(), late]);
  } finally {
    clearTimeout(timer);
  }
}

function called(body) {
  return new Promise((resolve, reject) => {
    body((error) => (error ? reject(error) : resolve()));
  });
}
