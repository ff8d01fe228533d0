"""Play commands through the model of a cache: lines in, lines out."""

import sys

from agingcache.cache import Cache


def main():
    sys.stdin.reconfigure(encoding="utf-8", newline="\n")
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    cache = Cache()
    for line in sys.stdin:
        for answer in cache.answer(line.removesuffix("\n")):
            print(answer)


if __name__ == "__main__":
    main()
