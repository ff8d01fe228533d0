#!/bin/sh
# The developer test command: builds the program, then compares its answers with the examples.
set -eu
cd "$(dirname "$0")"
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
rustc --edition 2021 -C opt-level=1 -o "$build/program" src/main.rs
sh tests/compare_examples.sh "$build/program"
