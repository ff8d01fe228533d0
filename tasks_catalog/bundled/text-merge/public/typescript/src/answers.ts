// From input lines to what is written.

import { merged } from "./merging";
import { type Block, Reader } from "./reader";

/** Returns the answers to all blocks: line feeds included. */
export function answers(lines: readonly string[]): string[] {
  const written: string[] = [];
  const reader = new Reader(lines);
  while (!reader.atEnd()) {
    const block = reader.next();
    written.push(...(block === null ? ["refused bad_input\n"] : result(block)));
  }
  return written;
}

function result(block: Block): string[] {
  const { lines, counts } = merged(block);
  return [`result ${block.name} ${lines.length}\n`, ...lines, `counts ${counts.text()}\n`];
}
