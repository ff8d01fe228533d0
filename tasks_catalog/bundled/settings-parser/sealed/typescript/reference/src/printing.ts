// Paths, strings and lists as they are printed, and the order of paths.

import { isBare, isControl } from "./scanner";
import type { Path } from "./values";

const ESCAPED = new Map([
  ["\n", "\\n"],
  ["\t", "\\t"],
  ['"', '\\"'],
  ["\\", "\\\\"],
]);

export function printedPath(path: Path): string {
  return path.map(printedKey).join(".");
}

function printedKey(key: string): string {
  return key !== "" && Array.from(key).every(isBare) ? key : printedString(key);
}

export function printedString(text: string): string {
  return `"${Array.from(text, printedCharacter).join("")}"`;
}

function printedCharacter(character: string): string {
  const escaped = ESCAPED.get(character);
  if (escaped !== undefined) {
    return escaped;
  }
  return isControl(character) ? `\\u{${codePoint(character).toString(16)}}` : character;
}

export function printedList(elements: readonly string[]): string {
  return `[${elements.join(", ")}]`;
}

/** Orders paths key by key. */
export function comparePaths(one: Path, other: Path): number {
  return compareLists(one, other, compareKeys);
}

/** Orders by code points, where `<` would compare the halves of surrogate pairs. */
function compareKeys(one: string, other: string): number {
  return compareLists(Array.from(one), Array.from(other), (a, b) => codePoint(a) - codePoint(b));
}

function codePoint(character: string): number {
  return character.codePointAt(0) ?? 0;
}

function compareLists<Element>(
  one: readonly Element[],
  other: readonly Element[],
  compareElements: (a: Element, b: Element) => number,
): number {
  const shared = Math.min(one.length, other.length);
  for (let index = 0; index < shared; index += 1) {
    const order = compareElements(one[index]!, other[index]!);
    if (order !== 0) {
      return order;
    }
  }
  return one.length - other.length;
}
