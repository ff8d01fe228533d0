#!/bin/sh
# compare_examples.sh COMMAND...: gives COMMAND the requests of every example and compares its answers.
# Answers are compared line by line as sets of members: neither their order nor the spacing matters.
set -eu
export LC_ALL=C
examples=$(dirname "$0")/examples
found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT

members() {
    while IFS= read -r line || [ -n "$line" ]; do
        printf '%s\n' "$line" | tr -d '{} ' | tr ',' '\n' | sort | tr '\n' ' '
        echo
    done
}

for requests in "$examples"/*.requests.jsonl; do
    name=$(basename "$requests" .requests.jsonl)
    "$@" < "$requests" > "$found/answers"
    members < "$found/answers" > "$found/got"
    members < "$examples/$name.answers.jsonl" > "$found/want"
    diff "$found/want" "$found/got" || { echo "$name: answers differ (< wanted, > found)"; exit 1; }
    echo "$name: ok"
done
