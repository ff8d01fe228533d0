#!/bin/sh
# The developer test command: compiles the program and compares its answers to the examples.
set -eu
cd "$(dirname "$0")"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
javac -encoding UTF-8 -proc:none -Xlint:all -sourcepath src -d "$folder/classes" src/Main.java
for steps in tests/examples/*.steps.txt; do
    java -Xmx256m -cp "$folder/classes" Main < "$steps" > "$folder/answers"
    diff -u "${steps%.steps.txt}.answers.txt" "$folder/answers"
    echo "ok: $steps"
done
