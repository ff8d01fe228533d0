// Splits the input into documents.

const LINE_FEED = 10;

/** A document of the input. */
export interface Frame {
  readonly name: string;
  readonly text: string;
}

/** Returns the name and the text of every document in the bytes of the input. */
export function frames(data: Buffer): Frame[] {
  const found: Frame[] = [];
  let position = 0;
  while (position < data.length) {
    const lineEnd = data.indexOf(LINE_FEED, position);
    const [, name = "", length] = data.toString("utf8", position, lineEnd).split(" ");
    const start = lineEnd + 1;
    const end = start + Number(length);
    found.push({ name, text: data.toString("utf8", start, end) });
    position = end + 1;
  }
  return found;
}
