// Bytes, characters and the order of texts. A string is made of UTF-16 units, which are neither.

export function countBytes(text: string): number {
  return Buffer.byteLength(text, "utf8");
}

export function countCharacters(text: string): number {
  return Array.from(text).length;
}

/** Less than 0 if `a` comes before `b` by code points. UTF-8 has the same order, unlike UTF-16. */
export function compareByCodePoints(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a, "utf8"), Buffer.from(b, "utf8"));
}
