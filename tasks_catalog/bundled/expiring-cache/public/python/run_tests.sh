#!/bin/sh
# The developer test command.
set -eu
cd "$(dirname "$0")"
exec python3 -B -m unittest discover -s tests -t .
