"""Answer invoice commands: one command on each line, answers as lines of words."""

import sys

from invoicing.register import Register


def main():
    sys.stdin.reconfigure(encoding="utf-8", newline="\n")
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    register = Register()
    for line in sys.stdin:
        for answer in register.answer(line.removesuffix("\n")):
            print(answer)


if __name__ == "__main__":
    main()
