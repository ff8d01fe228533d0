// The three-way merge.

import { Counts } from "./counts.js";

/** Returns the lines of the result and the counts. */
export function merged(block) {
  const head = commonStart(block.base, block.mine, block.theirs);
  const rest = [block.base, block.mine, block.theirs].map((text) => text.slice(head));
  const tail = commonStart(...rest.map((text) => text.slice().reverse()));
  const [base, mine, theirs] = rest.map((text) => text.slice(0, text.length - tail));
  const counts = new Counts();
  counts.kept = head + tail;
  const changed = base.length + mine.length + theirs.length > 0;
  const middle = changed ? decided(base, mine, theirs, counts) : [];
  const last = block.base.slice(block.base.length - tail);
  return { lines: [...block.base.slice(0, head), ...middle, ...last], counts };
}

/** Returns how many first lines are the same in all texts. */
function commonStart(base, mine, theirs) {
  const shortest = Math.min(base.length, mine.length, theirs.length);
  let length = 0;
  while (length < shortest && mine[length] === base[length] && theirs[length] === base[length]) {
    length += 1;
  }
  return length;
}

function decided(base, mine, theirs, counts) {
  if (equal(mine, base)) {
    counts.theirs += 1;
    return theirs;
  }
  if (equal(theirs, base)) {
    counts.mine += 1;
    return mine;
  }
  if (equal(mine, theirs)) {
    counts.same += 1;
    return mine;
  }
  counts.conflicts += 1;
  return ["<<<<<<< mine\n", ...mine, "=======\n", ...theirs, ">>>>>>> theirs\n"];
}

function equal(one, other) {
  return one.length === other.length && one.every((line, index) => line === other[index]);
}
