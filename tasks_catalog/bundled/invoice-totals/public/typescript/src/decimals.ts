// Decimal numbers as whole hundredths (BigInt): how they are read and written.

const LONGEST_WHOLE = 5;

// Returns the hundredths of the number that a word is, or null.
export function parseHundredths(word: string): bigint | null {
  const match = /^(-?)([0-9]+)(?:\.([0-9]*))?$/.exec(word);
  const [, sign, whole = "", fraction = ""] = match ?? [];
  if (match === null || whole.length > LONGEST_WHOLE) {
    return null;
  }
  const units = BigInt(whole + fraction.slice(0, 2).padEnd(2, "0"));
  return sign === "-" ? -units : units;
}

// Returns the whole part of the number that a word is, or null.
export function parseWhole(word: string): bigint | null {
  const units = parseHundredths(word);
  return units === null ? null : units / 100n;
}

export function formatHundredths(units: bigint): string {
  const magnitude = units < 0n ? -units : units;
  const cents = String(magnitude % 100n).padStart(2, "0");
  return `${units < 0n ? "-" : ""}${magnitude / 100n}.${cents}`;
}
