"""Carry out a schedule of booking steps: lines in, lines out."""

import sys

from booking.desk import Desk


def main():
    sys.stdin.reconfigure(encoding="utf-8", newline="\n")
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    desk = Desk()
    for line in sys.stdin:
        for answer in desk.answer(line.removesuffix("\n")):
            print(answer)


if __name__ == "__main__":
    main()
