// Carries out a schedule of booking steps: lines in, lines out.

import { readFileSync } from "node:fs";

import { Desk } from "./src/desk";

const STDIN = 0;

const lines = readFileSync(STDIN, "utf8").split("\n");
if (lines.at(-1) === "") {
  lines.pop();
}

const desk = new Desk();
const answers = lines.flatMap((line) => desk.answer(line));
process.stdout.write(answers.map((answer) => `${answer}\n`).join(""));
