// From input lines to what is written.

import { ending } from "./lines.js";
import { merged } from "./merging.js";
import { Reader } from "./reader.js";

/** Returns the answers to all blocks: line feeds included. */
export function answers(lines) {
  const written = [];
  const reader = new Reader(lines);
  while (!reader.atEnd()) {
    const { block, refusal } = reader.next();
    if (refusal) {
      written.push(`refused ${refusal.line} ${refusal.kind}\n`);
    } else {
      written.push(...result(block));
    }
  }
  return written;
}

function result(block) {
  const { lines, counts } = merged(block);
  const unfinished = lines.length > 0 && ending(lines.at(-1)) === "";
  return [
    `result ${block.name} ${lines.length}${unfinished ? " unfinished" : ""}\n`,
    ...lines,
    unfinished ? "\n" : "",
    `counts ${counts.text()}\n`,
  ];
}
