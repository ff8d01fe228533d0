"""Merge edited texts: blocks of lines in, results out."""

import sys
from io import TextIOWrapper

from textmerge.answers import answers


def main() -> None:
    blocks = TextIOWrapper(sys.stdin.buffer, encoding="utf-8", newline="\n")
    results = TextIOWrapper(sys.stdout.buffer, encoding="utf-8", newline="\n")
    for answer in answers([line.removesuffix("\n") for line in blocks]):
        results.write(answer)
    results.flush()


if __name__ == "__main__":
    main()
