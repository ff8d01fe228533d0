// Time that occurrences of two series have in common.

/** Returns the clashes of two series whose common time overlaps the window, in order. */
export function clashes(one, other, start, end) {
  const found = [];
  for (const a of one.overlapping(start, end)) {
    for (const b of other.overlapping(start, end)) {
      const begin = Math.max(a.start, b.start);
      const finish = Math.min(a.end, b.end);
      if (begin < finish && begin < end && finish > start) {
        found.push({ begin, finish, first: a.original, second: b.original });
      }
    }
  }
  return found.sort(
    (a, b) =>
      a.begin - b.begin || a.finish - b.finish || a.first - b.first || a.second - b.second,
  );
}
