// Paths, strings and lists as they are printed, and the order of paths.

import { isBare, isControl } from "./scanner.js";

const ESCAPED = new Map([
  ["\n", "\\n"],
  ["\t", "\\t"],
  ['"', '\\"'],
  ["\\", "\\\\"],
]);

export function printedPath(path) {
  return path.map(printedKey).join(".");
}

function printedKey(key) {
  return key !== "" && Array.from(key).every(isBare) ? key : printedString(key);
}

export function printedString(text) {
  return `"${Array.from(text, printedCharacter).join("")}"`;
}

function printedCharacter(character) {
  if (ESCAPED.has(character)) {
    return ESCAPED.get(character);
  }
  return isControl(character) ? `\\u{${character.codePointAt(0).toString(16)}}` : character;
}

export function printedList(elements) {
  return `[${elements.join(", ")}]`;
}

/** Orders paths key by key. */
export function comparePaths(one, other) {
  return compareLists(one, other, compareKeys);
}

/** Orders by code points, where `<` would compare the halves of surrogate pairs. */
function compareKeys(one, other) {
  return compareLists(Array.from(one), Array.from(other), (a, b) => a.codePointAt(0) - b.codePointAt(0));
}

function compareLists(one, other, compareElements) {
  const shared = Math.min(one.length, other.length);
  for (let index = 0; index < shared; index += 1) {
    const order = compareElements(one[index], other[index]);
    if (order !== 0) {
      return order;
    }
  }
  return one.length - other.length;
}
