#!/bin/sh
# The developer test command.
set -eu
cd "$(dirname "$0")"
exec node --test tests/*.test.js
