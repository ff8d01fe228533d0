// Reads settings documents from standard input, prints the settings or the errors of each.

import { readFileSync, writeSync } from "node:fs";

import { frames } from "./src/frames.js";
import { read } from "./src/reading.js";
import { report } from "./src/report.js";

const STDIN = 0;
const STDOUT = 1;

function write(text) {
  let rest = Buffer.from(text, "utf8");
  while (rest.length > 0) {
    rest = rest.subarray(writeSync(STDOUT, rest));
  }
}

for (const { name, text } of frames(readFileSync(STDIN))) {
  write(report(name, read(text)));
}
