"""Plan meetings that repeat: commands in, answers out, a line each."""

import sys
from io import TextIOWrapper

from meetings.planner import Planner


def main() -> None:
    commands = TextIOWrapper(sys.stdin.buffer, encoding="utf-8", newline="\n")
    answers = TextIOWrapper(sys.stdout.buffer, encoding="utf-8", newline="\n")
    planner = Planner()
    for line in commands:
        for answer in planner.answer(line.removesuffix("\n")):
            answers.write(answer + "\n")
    answers.flush()


if __name__ == "__main__":
    main()
