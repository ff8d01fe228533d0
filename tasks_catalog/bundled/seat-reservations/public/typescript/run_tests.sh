#!/bin/sh
# The developer test command: compiles the program and compares its answers to the examples.
set -eu
cd "$(dirname "$0")"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
tsc --project tsconfig.json --outDir "$folder/program"
for steps in tests/examples/*.steps.txt; do
    node "$folder/program/main.js" < "$steps" > "$folder/answers"
    diff -u "${steps%.steps.txt}.answers.txt" "$folder/answers"
    echo "ok: $steps"
done
