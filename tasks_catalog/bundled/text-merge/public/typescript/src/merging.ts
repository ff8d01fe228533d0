// The three-way merge.

import { Counts } from "./counts";
import { type Block } from "./reader";

type Text = readonly string[];

/** Returns the lines of the result and the counts. */
export function merged(block: Block): { lines: string[]; counts: Counts } {
  const head = commonStart(block.base, block.mine, block.theirs);
  const turned = (text: Text): Text => text.slice(head).reverse();
  const tail = commonStart(turned(block.base), turned(block.mine), turned(block.theirs));
  const base = block.base.slice(head, block.base.length - tail);
  const mine = block.mine.slice(head, block.mine.length - tail);
  const theirs = block.theirs.slice(head, block.theirs.length - tail);
  const counts = new Counts();
  counts.kept = head + tail;
  const changed = base.length + mine.length + theirs.length > 0;
  const middle = changed ? decided(base, mine, theirs, counts) : [];
  const last = block.base.slice(block.base.length - tail);
  return { lines: [...block.base.slice(0, head), ...middle, ...last], counts };
}

/** Returns how many first lines are the same in all texts. */
function commonStart(base: Text, mine: Text, theirs: Text): number {
  const shortest = Math.min(base.length, mine.length, theirs.length);
  let length = 0;
  while (length < shortest && mine[length] === base[length] && theirs[length] === base[length]) {
    length += 1;
  }
  return length;
}

function decided(base: Text, mine: Text, theirs: Text, counts: Counts): Text {
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

function equal(one: Text, other: Text): boolean {
  return one.length === other.length && one.every((line, index) => line === other[index]);
}
