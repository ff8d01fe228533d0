// Every example in tests/examples: the answers of the program named in PROGRAM to its requests.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import test from "node:test";

const program = process.env.PROGRAM;

function example(name, part) {
  return readFileSync(new URL(`examples/${name}.${part}.jsonl`, import.meta.url), "utf8");
}

function values(lines) {
  return lines.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
}

function check(name) {
  const finished = spawnSync(process.execPath, [program], {
    input: example(name, "requests"),
    encoding: "utf8",
    timeout: 20_000,
  });
  assert.equal(finished.status, 0, finished.stderr);
  assert.deepEqual(values(finished.stdout), values(example(name, "answers")));
}

test("basic behaviour", () => check("basic-behaviour"));
test("empty input", () => check("empty-input"));
