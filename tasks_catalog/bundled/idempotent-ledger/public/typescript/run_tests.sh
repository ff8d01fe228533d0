#!/bin/sh
# The developer test command: builds the program, then compares its answers with the examples.
set -eu
cd "$(dirname "$0")"
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
tsc --project tsconfig.json --outDir "$build"
PROGRAM="$build/main.js" node --test tests/*.test.mjs
