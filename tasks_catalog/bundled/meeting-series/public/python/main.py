"""Plan meetings that repeat: commands in, answers out, a line each."""

import sys

from meetings.planner import Planner


def main():
    sys.stdin.reconfigure(encoding="utf-8", newline="\n")
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    planner = Planner()
    for line in sys.stdin:
        for answer in planner.answer(line.removesuffix("\n")):
            print(answer)


if __name__ == "__main__":
    main()
