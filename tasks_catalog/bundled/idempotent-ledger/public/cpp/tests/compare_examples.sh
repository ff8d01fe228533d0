#!/bin/sh
# compare_examples.sh COMMAND...: gives COMMAND the commands of every example and compares its answers, byte by byte.
set -eu
examples=$(dirname "$0")/examples
found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT

for commands in "$examples"/*.commands.txt; do
    name=$(basename "$commands" .commands.txt)
    "$@" < "$commands" > "$found/answers"
    diff "$examples/$name.answers.txt" "$found/answers" || { echo "$name: answers differ (< wanted, > found)"; exit 1; }
    echo "$name: ok"
done
