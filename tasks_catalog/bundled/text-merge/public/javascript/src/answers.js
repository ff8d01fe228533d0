// From input lines to what is written.

import { merged } from "./merging.js";
import { Reader } from "./reader.js";

/** Returns the answers to all blocks: line feeds included. */
export function answers(lines) {
  const written = [];
  const reader = new Reader(lines);
  while (!reader.atEnd()) {
    const block = reader.next();
    written.push(...(block === null ? ["refused bad_input\n"] : result(block)));
  }
  return written;
}

function result(block) {
  const { lines, counts } = merged(block);
  return [`result ${block.name} ${lines.length}\n`, ...lines, `counts ${counts.text()}\n`];
}
