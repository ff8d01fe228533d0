"""Answer circuit breaker requests: JSON lines in, JSON lines out."""

import json
import sys

from breakerguard.guard import Guard


def main():
    sys.stdin.reconfigure(encoding="utf-8", newline="\n")
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    guard = Guard()
    for line in sys.stdin:
        print(json.dumps(guard.answer(line), ensure_ascii=False))


if __name__ == "__main__":
    main()
