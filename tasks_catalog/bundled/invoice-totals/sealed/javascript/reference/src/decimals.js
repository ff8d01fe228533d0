// Decimal numbers as whole numbers (BigInt): how they are read and written.

// The number `digits` / 10 ** `places`, with as many places as were written.
export class Decimal {
  constructor(digits, places) {
    this.digits = digits;
    this.places = places;
  }

  // The number in units of 10 ** -places; `places` is at least its own.
  scaled(places) {
    return this.digits * powerOfTen(places - this.places);
  }
}

// Returns the number that a word is, or null.
export function parseDecimal(word) {
  const match = /^(-?)([0-9]{1,12})(?:\.([0-9]{1,6}))?$/.exec(word);
  if (match === null) {
    return null;
  }
  const [, sign, whole, fraction = ""] = match;
  const digits = BigInt(whole + fraction);
  return new Decimal(sign === "-" ? -digits : digits, fraction.length);
}

// Writes units of 10 ** -places with exactly that many places.
export function formatDecimal(units, places) {
  const digits = String(magnitude(units)).padStart(places + 1, "0");
  const sign = units < 0n ? "-" : "";
  if (places === 0) {
    return sign + digits;
  }
  return `${sign}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

// Writes units of 10 ** -places without needless zeros; `places` is at least 1.
export function formatShortest(units, places) {
  return formatDecimal(units, places).replace(/\.?0+$/, "");
}

export function magnitude(units) {
  return units < 0n ? -units : units;
}

export function powerOfTen(exponent) {
  return 10n ** BigInt(exponent);
}
