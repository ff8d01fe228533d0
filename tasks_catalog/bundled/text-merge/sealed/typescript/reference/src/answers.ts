// From input lines to what is written.

import { ending } from "./lines";
import { merged } from "./merging";
import { type Block, Reader } from "./reader";

/** Returns the answers to all blocks: line feeds included. */
export function answers(lines: readonly string[]): string[] {
  const written: string[] = [];
  const reader = new Reader(lines);
  while (!reader.atEnd()) {
    const next = reader.next();
    if ("refusal" in next) {
      written.push(`refused ${next.refusal.line} ${next.refusal.kind}\n`);
    } else {
      written.push(...result(next.block));
    }
  }
  return written;
}

function result(block: Block): string[] {
  const { lines, counts } = merged(block);
  const unfinished = lines.length > 0 && ending(lines.at(-1) ?? "") === "";
  return [
    `result ${block.name} ${lines.length}${unfinished ? " unfinished" : ""}\n`,
    ...lines,
    unfinished ? "\n" : "",
    `counts ${counts.text()}\n`,
  ];
}
