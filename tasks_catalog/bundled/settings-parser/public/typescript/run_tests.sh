#!/bin/sh
# The developer test command: compiles the program and runs every example in tests/examples.
set -eu
cd "$(dirname "$0")"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
tsc --project tsconfig.json --outDir "$out"
for input in tests/examples/*.input; do
  node "$out/main.js" < "$input" > "$out/printed"
  diff "${input%.input}.output" "$out/printed"
  echo "ok $(basename "$input" .input)"
done
