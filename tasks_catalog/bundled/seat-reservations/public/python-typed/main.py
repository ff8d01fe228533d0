"""Carry out a schedule of booking steps: lines in, lines out."""

import sys
from io import TextIOWrapper

from booking.desk import Desk


def main() -> None:
    steps = TextIOWrapper(sys.stdin.buffer, encoding="utf-8", newline="\n")
    answers = TextIOWrapper(sys.stdout.buffer, encoding="utf-8", newline="\n")
    desk = Desk()
    for line in steps:
        for answer in desk.answer(line.removesuffix("\n")):
            answers.write(answer + "\n")
    answers.flush()


if __name__ == "__main__":
    main()
