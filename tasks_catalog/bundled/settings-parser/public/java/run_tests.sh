#!/bin/sh
# The developer test command: compiles the program and runs every example in tests/examples.
set -eu
cd "$(dirname "$0")"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
mkdir "$out/classes"
javac -encoding UTF-8 -proc:none -sourcepath src -d "$out/classes" src/Main.java
for input in tests/examples/*.input; do
  java -Xmx256m -cp "$out/classes" Main < "$input" > "$out/printed"
  diff "${input%.input}.output" "$out/printed"
  echo "ok $(basename "$input" .input)"
done
