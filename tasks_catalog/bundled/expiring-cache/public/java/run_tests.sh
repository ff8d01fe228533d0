#!/bin/sh
# The developer test command: compiles the program and compares its answers to the examples.
set -eu
cd "$(dirname "$0")"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
javac -encoding UTF-8 -proc:none -Xlint:all -sourcepath src -d "$folder/classes" src/Main.java
for commands in tests/examples/*.commands.txt; do
    java -Xmx256m -cp "$folder/classes" Main < "$commands" > "$folder/answers"
    diff -u "${commands%.commands.txt}.answers.txt" "$folder/answers"
    echo "ok: $commands"
done
