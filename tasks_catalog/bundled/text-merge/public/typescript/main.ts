// Merges edited texts: blocks of lines in, results out.

import { readFileSync, writeSync } from "node:fs";

import { answers } from "./src/answers";

const STDIN = 0;
const STDOUT = 1;

function write(text: string): void {
  let rest = Buffer.from(text, "utf8");
  while (rest.length > 0) {
    rest = rest.subarray(writeSync(STDOUT, rest));
  }
}

const lines = readFileSync(STDIN, "utf8").split("\n");
if (lines.at(-1) === "") {
  lines.pop();
}
write(answers(lines).join(""));
