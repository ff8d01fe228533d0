// Answers circuit breaker requests: JSON lines in, JSON lines out.

import { readFileSync, writeSync } from "node:fs";

import { Guard } from "./src/guard";

const STDIN = 0;
const STDOUT = 1;

function write(text: string): void {
  let rest: Uint8Array = Buffer.from(text, "utf8");
  while (rest.length > 0) {
    rest = rest.subarray(writeSync(STDOUT, rest));
  }
}

const lines = readFileSync(STDIN, "utf8").split("\n");
if (lines.at(-1) === "") {
  lines.pop();
}

const guard = new Guard();
for (const line of lines) {
  write(`${JSON.stringify(guard.answer(line))}\n`);
}
