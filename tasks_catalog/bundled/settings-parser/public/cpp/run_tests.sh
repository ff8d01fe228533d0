#!/bin/sh
# The developer test command: compiles the program and runs every example in tests/examples.
set -eu
cd "$(dirname "$0")"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
g++ -std=c++17 -O1 -o "$out/program" src/*.cpp
for input in tests/examples/*.input; do
  "$out/program" < "$input" > "$out/printed"
  diff "${input%.input}.output" "$out/printed"
  echo "ok $(basename "$input" .input)"
done
