"""Play commands through the model of a cache: lines in, lines out."""

import sys
from io import TextIOWrapper

from agingcache.cache import Cache


def main() -> None:
    commands = TextIOWrapper(sys.stdin.buffer, encoding="utf-8", newline="\n")
    answers = TextIOWrapper(sys.stdout.buffer, encoding="utf-8", newline="\n")
    cache = Cache()
    for line in commands:
        for answer in cache.answer(line.removesuffix("\n")):
            answers.write(answer + "\n")
    answers.flush()


if __name__ == "__main__":
    main()
