/**
 * Runs a suite of specs and tells on standard output what became of every test.
 *
 * The order is a JSON object on standard input: `nonce`, `folder`, `entries` (files below the
 * folder). Every line of the report is the nonce, a blank and a JSON object. What the judged code
 * prints goes to standard error.
 */
import fs from "node:fs";
import { register } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

import { declareGlobals, runTests } from "./spec_runner.mjs";

const { nonce, folder, entries } = JSON.parse(fs.readFileSync(0, "utf8"));
const { writeSync } = fs;
const { stringify } = JSON;
const exit = process.exit.bind(process);

function tell(event) {
  let bytes = Buffer.from(`${nonce} ${stringify(event)}\n`);
  while (bytes.length > 0) {
    bytes = bytes.subarray(writeSync(1, bytes));
  }
}

process.stdout.write = process.stderr.write.bind(process.stderr);
// A promise that nobody waits for fails no spec.
process.on("unhandledRejection", () => {});
register("./module_hooks.mjs", import.meta.url, { data: { folder } });
declareGlobals();

for (const entry of entries) {
  await import(pathToFileURL(path.join(folder, entry)).href);
}
const { ended, flawless } = await runTests(tell);
tell({ event: "done", tests: ended });
exit(flawless ? 0 : 1);
