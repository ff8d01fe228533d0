// Which lines of two texts belong together.

/** Returns for each line of the base the index of its partner, or null. Takes the keys of the lines. */
export function partners(base, other) {
  const most = pairCounts(base, other);
  const found = new Array(base.length).fill(null);
  let i = 0;
  let j = 0;
  while (i < base.length && j < other.length) {
    if (base[i] === other[j]) {
      found[i] = j;
      i += 1;
      j += 1;
    } else if (most[i + 1][j] >= most[i][j + 1]) {
      i += 1;
    } else {
      j += 1;
    }
  }
  return found;
}

/** Returns a table: the most pairs that lines from i and from j on can have, at [i][j]. */
function pairCounts(base, other) {
  const most = base.map(() => new Array(other.length + 1).fill(0));
  most.push(new Array(other.length + 1).fill(0));
  for (let i = base.length - 1; i >= 0; i -= 1) {
    for (let j = other.length - 1; j >= 0; j -= 1) {
      most[i][j] =
        base[i] === other[j] ? most[i + 1][j + 1] + 1 : Math.max(most[i + 1][j], most[i][j + 1]);
    }
  }
  return most;
}
