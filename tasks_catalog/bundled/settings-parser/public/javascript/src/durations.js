// Durations such as 1h30m.

const DIGITS = "0123456789";
const UNITS = [
  { name: "d", milliseconds: 86_400_000 },
  { name: "h", milliseconds: 3_600_000 },
  { name: "m", milliseconds: 60_000 },
  { name: "s", milliseconds: 1_000 },
  { name: "ms", milliseconds: 1 },
];
const LONGEST = 9_007_199_254_740_991;

/** Returns `number`, in milliseconds, or `kind` and `offset` (from 0) of the mistake in the word. */
export function readDuration(word) {
  let total = 0;
  let tooLong = false;
  let nextRank = 0;
  let position = 0;
  while (position < word.length) {
    let count = 0;
    const start = position;
    while (position < word.length && DIGITS.includes(word[position])) {
      if (count <= LONGEST) {
        count = count * 10 + DIGITS.indexOf(word[position]);
      }
      position += 1;
    }
    const rank = unitRank(word, position);
    if (position === start || rank < nextRank) {
      return { kind: "bad-duration", offset: position };
    }
    const unit = UNITS[rank];
    if (count > Math.floor((LONGEST - total) / unit.milliseconds)) {
      tooLong = true;
    } else {
      total += count * unit.milliseconds;
    }
    position += unit.name.length;
    nextRank = rank + 1;
  }
  return tooLong ? { kind: "out-of-range", offset: 0 } : { number: total };
}

/** Returns the place in UNITS of the unit that stands there, -1 if there is none. */
function unitRank(word, position) {
  return UNITS.findLastIndex((unit) => word.startsWith(unit.name, position));
}
