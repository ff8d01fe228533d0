#!/bin/sh
# The developer test command: compiles the program and compares its answers to the examples.
set -eu
cd "$(dirname "$0")"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
g++ -std=c++17 -O1 -Wall -Wextra -o "$folder/program" src/*.cpp
for steps in tests/examples/*.steps.txt; do
    "$folder/program" < "$steps" > "$folder/answers"
    diff -u "${steps%.steps.txt}.answers.txt" "$folder/answers"
    echo "ok: $steps"
done
