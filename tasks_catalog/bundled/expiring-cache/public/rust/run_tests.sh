#!/bin/sh
# The developer test command: compiles the program and compares its answers to the examples.
set -eu
cd "$(dirname "$0")"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
rustc --edition 2021 -C opt-level=1 -o "$folder/program" src/main.rs
for commands in tests/examples/*.commands.txt; do
    "$folder/program" < "$commands" > "$folder/answers"
    diff -u "${commands%.commands.txt}.answers.txt" "$folder/answers"
    echo "ok: $commands"
done
