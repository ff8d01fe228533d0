// Plays commands through the model of a cache: lines in, lines out.

import { readFileSync } from "node:fs";

import { Cache } from "./src/cache";

const STDIN = 0;

const lines = readFileSync(STDIN, "utf8").split("\n");
if (lines.at(-1) === "") {
  lines.pop();
}

const cache = new Cache();
const answers = lines.flatMap((line) => cache.answer(line));
process.stdout.write(answers.map((answer) => `${answer}\n`).join(""));
