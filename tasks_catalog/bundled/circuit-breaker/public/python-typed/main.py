"""Answer circuit breaker requests: JSON lines in, JSON lines out."""

import json
import sys
from io import TextIOWrapper

from breakerguard.guard import Guard


def main() -> None:
    requests = TextIOWrapper(sys.stdin.buffer, encoding="utf-8", newline="\n")
    answers = TextIOWrapper(sys.stdout.buffer, encoding="utf-8", newline="\n")
    guard = Guard()
    for line in requests:
        answers.write(json.dumps(guard.answer(line), ensure_ascii=False) + "\n")
    answers.flush()


if __name__ == "__main__":
    main()
