// Answers ledger commands: one command on each line, answers as lines of words.

import { readFileSync, writeSync } from "node:fs";

import { Desk } from "./src/desk";

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

const desk = new Desk();
write(lines.flatMap((line) => desk.answer(line)).map((answer) => `${answer}\n`).join(""));
