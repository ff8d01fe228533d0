#!/bin/sh
# The developer test command: builds the program and compares its results with the examples.
set -eu
cd "$(dirname "$0")"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
tsc --project tsconfig.json --outDir "$out/js"
for name in basic-behaviour empty-input; do
  node "$out/js/main.js" < "tests/examples/$name.blocks.txt" > "$out/results.txt"
  diff -u "tests/examples/$name.results.txt" "$out/results.txt"
  echo "$name: ok"
done
