#!/bin/sh
# The developer test command: builds the program and compares its results with the examples.
set -eu
cd "$(dirname "$0")"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
javac -encoding UTF-8 -proc:none -sourcepath src -d "$out/classes" src/Main.java
for name in basic-behaviour empty-input; do
  java -cp "$out/classes" Main < "tests/examples/$name.blocks.txt" > "$out/results.txt"
  diff -u "tests/examples/$name.results.txt" "$out/results.txt"
  echo "$name: ok"
done
