// Decimal numbers as whole hundredths (BigInt): how they are read and written.

const LONGEST_WHOLE = 5;

// Returns the hundredths of the number that a word is, or null.
export function parseHundredths(word) {
  const match = /^(-?)([0-9]+)(?:\.([0-9]*))?$/.exec(word);
  if (match === null || match[2].length > LONGEST_WHOLE) {
    return null;
  }
  const [, sign, whole, fraction = ""] = match;
  const units = BigInt(whole + fraction.slice(0, 2).padEnd(2, "0"));
  return sign === "-" ? -units : units;
}

// Returns the whole part of the number that a word is, or null.
export function parseWhole(word) {
  const units = parseHundredths(word);
  return units === null ? null : units / 100n;
}

export function formatHundredths(units) {
  const magnitude = units < 0n ? -units : units;
  const cents = String(magnitude % 100n).padStart(2, "0");
  return `${units < 0n ? "-" : ""}${magnitude / 100n}.${cents}`;
}
