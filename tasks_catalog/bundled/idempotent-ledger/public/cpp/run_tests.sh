#!/bin/sh
# The developer test command: builds the program, then compares its answers with the examples.
set -eu
cd "$(dirname "$0")"
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
g++ -std=c++17 -O1 -Wall -Wextra -o "$build/program" src/*.cpp
sh tests/compare_examples.sh "$build/program"
