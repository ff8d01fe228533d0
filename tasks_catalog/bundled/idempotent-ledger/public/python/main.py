"""Answer ledger commands: one command on each line, answers as lines of words."""

import sys

from ledger.desk import Desk


def main():
    sys.stdin.reconfigure(encoding="utf-8", newline="\n")
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    desk = Desk()
    for line in sys.stdin:
        for answer in desk.answer(line.removesuffix("\n")):
            print(answer)


if __name__ == "__main__":
    main()
