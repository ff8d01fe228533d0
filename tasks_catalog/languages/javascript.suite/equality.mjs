/** Deep equality as Jest's toEqual and toStrictEqual have it. */
const { is, getPrototypeOf, keys, getOwnPropertySymbols } = Object;
const kindOf = Function.prototype.call.bind(Object.prototype.toString);
const owns = Function.prototype.call.bind(Object.prototype.hasOwnProperty);
const enumerates = Function.prototype.call.bind(Object.prototype.propertyIsEnumerable);

/**
 * Whether two values are alike. Unless `strict`, absent and undefined properties are the same,
 * and so are objects of different classes.
 */
export function equal(got, wanted, { strict }) {
  return alike(got, wanted, { strict, open: [] });
}

function alike(got, wanted, terms) {
  if (got instanceof Error && wanted instanceof Error) {
    return got.message === wanted.message;
  }
  if (is(got, wanted)) {
    return true;
  }
  if (kindOf(got) !== kindOf(wanted) || typeof got !== typeof wanted) {
    return false;
  }
  if (got === null || typeof got !== "object") {
    return false;
  }
  if (terms.open.some(([one, other]) => one === got && other === wanted)) {
    return true;
  }
  return alikeObjects(got, wanted, { ...terms, open: [...terms.open, [got, wanted]] });
}

function alikeObjects(got, wanted, terms) {
  switch (kindOf(got)) {
    case "[object Boolean]":
    case "[object String]":
    case "[object Number]":
      return is(got.valueOf(), wanted.valueOf());
    case "[object Date]":
      return is(Number(got), Number(wanted));
    case "[object RegExp]":
      return got.source === wanted.source && got.flags === wanted.flags;
    case "[object Array]":
      return got.length === wanted.length && alikeProperties(got, wanted, terms);
    default:
      return alikeInside(got, wanted, terms);
  }
}

function alikeInside(got, wanted, terms) {
  if (terms.strict && getPrototypeOf(got) !== getPrototypeOf(wanted)) {
    return false;
  }
  if (typeof got[Symbol.iterator] === "function" && typeof wanted[Symbol.iterator] === "function") {
    if (got.constructor !== wanted.constructor) {
      return false;
    }
    return alikeItems(got, wanted, terms) && alikeProperties(got, wanted, terms);
  }
  return alikeProperties(got, wanted, terms);
}

function alikeItems(got, wanted, terms) {
  const [mine, theirs] = [[...got], [...wanted]];
  if (mine.length !== theirs.length) {
    return false;
  }
  if (got instanceof Set || got instanceof Map) {
    return mine.every((one) => theirs.some((other) => alike(one, other, terms)));
  }
  return mine.every((one, place) => alike(one, theirs[place], terms));
}

function alikeProperties(got, wanted, terms) {
  const names = new Set([...ownNames(got), ...ownNames(wanted)]);
  for (const name of names) {
    if (terms.strict && owns(got, name) !== owns(wanted, name)) {
      return false;
    }
    if (!alike(got[name], wanted[name], terms)) {
      return false;
    }
  }
  return true;
}

function ownNames(value) {
  return [...keys(value), ...getOwnPropertySymbols(value).filter((name) => enumerates(value, name))];
}
