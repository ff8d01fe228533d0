// Plans meetings that repeat: commands in, answers out, a line each.

import { readFileSync, writeSync } from "node:fs";

import { Planner } from "./src/planner.js";

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

const planner = new Planner();
for (const line of lines) {
  write(planner.answer(line).map((answer) => `${answer}\n`).join(""));
}
