// Reads settings documents from standard input, prints the settings or the errors of each.

import { readFileSync, writeSync } from "node:fs";

import { frames } from "./src/frames";
import { read } from "./src/reading";
import { report } from "./src/report";

const STDIN = 0;
const STDOUT = 1;

function write(text: string): void {
  let rest: Buffer = Buffer.from(text, "utf8");
  while (rest.length > 0) {
    rest = rest.subarray(writeSync(STDOUT, rest));
  }
}

for (const { name, text } of frames(readFileSync(STDIN))) {
  write(report(name, read(text)));
}
