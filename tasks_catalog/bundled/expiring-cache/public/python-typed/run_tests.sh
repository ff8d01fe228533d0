#!/bin/sh
# The developer test command: types first, then the examples.
set -eu
cd "$(dirname "$0")"
python3 -B -m mypy --strict --cache-dir="${TMPDIR:-/tmp}/mypy-cache"
exec python3 -B -m unittest discover -s tests -t .
