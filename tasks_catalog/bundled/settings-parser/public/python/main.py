"""Read settings documents from standard input, print the settings or the errors of each."""

import sys

from settingsreader.frames import frames
from settingsreader.reading import read
from settingsreader.report import report


def main():
    output = sys.stdout.buffer
    for name, text in frames(sys.stdin.buffer.read()):
        output.write(report(name, read(text)).encode("utf-8"))
    output.flush()


if __name__ == "__main__":
    main()
