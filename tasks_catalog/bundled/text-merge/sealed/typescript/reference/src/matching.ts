// Which lines of two texts belong together.

/** Returns for each line of the base the index of its partner, or null. Takes the keys of the lines. */
export function partners(base: readonly string[], other: readonly string[]): (number | null)[] {
  const most = pairCounts(base, other);
  const found = new Array<number | null>(base.length).fill(null);
  let i = 0;
  let j = 0;
  while (i < base.length && j < other.length) {
    if (base[i] === other[j]) {
      found[i] = j;
      i += 1;
      j += 1;
    } else if (most(i + 1, j) >= most(i, j + 1)) {
      i += 1;
    } else {
      j += 1;
    }
  }
  return found;
}

type PairCounts = (i: number, j: number) => number;

/** Returns the most pairs that the lines from i and from j on can have, as a function of i and j. */
function pairCounts(base: readonly string[], other: readonly string[]): PairCounts {
  const width = other.length + 1;
  const table = new Int32Array((base.length + 1) * width);
  const most: PairCounts = (i, j) => table[i * width + j] ?? 0;
  for (let i = base.length - 1; i >= 0; i -= 1) {
    for (let j = other.length - 1; j >= 0; j -= 1) {
      table[i * width + j] =
        base[i] === other[j] ? most(i + 1, j + 1) + 1 : Math.max(most(i + 1, j), most(i, j + 1));
    }
  }
  return most;
}
