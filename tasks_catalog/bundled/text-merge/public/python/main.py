"""Merge edited texts: blocks of lines in, results out."""

import sys

from textmerge.answers import answers


def main():
    sys.stdin.reconfigure(encoding="utf-8", newline="\n")
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    lines = [line.removesuffix("\n") for line in sys.stdin]
    for answer in answers(lines):
        sys.stdout.write(answer)


if __name__ == "__main__":
    main()
