#!/bin/sh
# The developer test command: builds the program and compares its results with the examples.
set -eu
cd "$(dirname "$0")"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
g++ -std=c++17 -O1 -Wall -Wextra -o "$out/program" src/*.cpp
for name in basic-behaviour empty-input; do
  "$out/program" < "tests/examples/$name.blocks.txt" > "$out/results.txt"
  diff -u "tests/examples/$name.results.txt" "$out/results.txt"
  echo "$name: ok"
done
