// Lines with their endings, and when they are equal.

/** Returns the ending of a line: empty for one that is unfinished. */
export function ending(line) {
  if (line.endsWith("\r\n")) {
    return "\r\n";
  }
  return line.endsWith("\n") ? "\n" : "";
}

/** Returns what is compared: two lines are equal if their keys are. */
export function key(line, compare) {
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

export function equal(one, other, compare) {
  return one.length === other.length && agreeing(one, other, compare) === one.length;
}

/** Returns how many first lines are equal. */
export function agreeing(one, other, compare) {
  let count = 0;
  while (
    count < Math.min(one.length, other.length) &&
    key(one[count], compare) === key(other[count], compare)
  ) {
    count += 1;
  }
  return count;
}

export function endingOfMarkers(mine, theirs) {
  for (const text of [mine, theirs]) {
    if (text.length > 0 && ending(text[0]) !== "") {
      return ending(text[0]);
    }
  }
  return "\n";
}

/** Returns the lines; those before the last that have no ending get the missing one. */
export function withEndings(lines, missing) {
  const last = lines.length - 1;
  return lines.map((line, index) => (index < last && ending(line) === "" ? line + missing : line));
}
