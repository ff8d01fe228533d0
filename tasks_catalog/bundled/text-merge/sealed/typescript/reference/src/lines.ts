// Lines with their endings, and when they are equal.

import { type Compare } from "./options";

export type Text = readonly string[];

/** Returns the ending of a line: empty for one that is unfinished. */
export function ending(line: string): string {
  if (line.endsWith("\r\n")) {
    return "\r\n";
  }
  return line.endsWith("\n") ? "\n" : "";
}

/** Returns what is compared: two lines are equal if their keys are. */
export function key(line: string, compare: Compare): string {
  const text = line.slice(0, line.length - ending(line).length);
  switch (compare) {
    case "exact":
      return line;
    case "trailing":
      return text.replace(/[ \t]+$/, "");
    case "all":
      return text.replace(/[ \t]+/g, "");
    default:
      return text;
  }
}

export function equal(one: Text, other: Text, compare: Compare): boolean {
  return one.length === other.length && agreeing(one, other, compare) === one.length;
}

/** Returns how many first lines are equal. */
export function agreeing(one: Text, other: Text, compare: Compare): number {
  const differing = one.findIndex((line, index) => {
    const counterpart = other[index];
    return counterpart === undefined || key(line, compare) !== key(counterpart, compare);
  });
  return differing < 0 ? one.length : differing;
}

export function endingOfMarkers(mine: Text, theirs: Text): string {
  for (const [first = ""] of [mine, theirs]) {
    if (ending(first) !== "") {
      return ending(first);
    }
  }
  return "\n";
}

/** Returns the lines; those before the last that have no ending get the missing one. */
export function withEndings(lines: Text, missing: string): string[] {
  const last = lines.length - 1;
  return lines.map((line, index) => (index < last && ending(line) === "" ? line + missing : line));
}
