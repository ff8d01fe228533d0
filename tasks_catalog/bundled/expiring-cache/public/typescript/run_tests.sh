#!/bin/sh
# The developer test command: compiles the program and compares its answers to the examples.
set -eu
cd "$(dirname "$0")"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
tsc --project tsconfig.json --outDir "$folder/program"
for commands in tests/examples/*.commands.txt; do
    node "$folder/program/main.js" < "$commands" > "$folder/answers"
    diff -u "${commands%.commands.txt}.answers.txt" "$folder/answers"
    echo "ok: $commands"
done
