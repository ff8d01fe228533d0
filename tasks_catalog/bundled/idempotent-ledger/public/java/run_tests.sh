#!/bin/sh
# The developer test command: builds the program, then compares its answers with the examples.
set -eu
cd "$(dirname "$0")"
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
javac -Xlint:all -proc:none -encoding UTF-8 -sourcepath src -d "$build" src/Main.java
sh tests/compare_examples.sh java -Xmx256m -cp "$build" Main
