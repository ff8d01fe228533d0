// Answers ledger commands: one command on each line, answers as lines of words.

import { readFileSync, writeSync } from "node:fs";

import { Desk } from "./src/desk.js";

const STDIN = 0;
const STDOUT = 1;

function write(text) {
  let rest = Buffer.from(text, "utf8");
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
