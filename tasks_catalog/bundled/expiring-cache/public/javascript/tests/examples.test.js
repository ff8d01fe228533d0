// Every example in tests/examples: the program's answers to its commands.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import test from "node:test";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../main.js", import.meta.url));

function example(name, part) {
  return readFileSync(new URL(`examples/${name}.${part}.txt`, import.meta.url), "utf8");
}

function check(name) {
  const finished = spawnSync(process.execPath, [program], {
    input: example(name, "commands"),
    encoding: "utf8",
    timeout: 20_000,
  });
  assert.equal(finished.status, 0, finished.stderr);
  assert.equal(finished.stdout, example(name, "answers"));
}

test("basic behaviour", () => check("basic-behaviour"));
test("empty input", () => check("empty-input"));
