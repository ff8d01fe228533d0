"""Answer ledger commands: one command on each line, answers as lines of words."""

import sys
from io import TextIOWrapper

from ledger.desk import Desk


def main() -> None:
    commands = TextIOWrapper(sys.stdin.buffer, encoding="utf-8", newline="\n")
    answers = TextIOWrapper(sys.stdout.buffer, encoding="utf-8", newline="\n")
    desk = Desk()
    for line in commands:
        for answer in desk.answer(line.removesuffix("\n")):
            answers.write(answer + "\n")
    answers.flush()


if __name__ == "__main__":
    main()
