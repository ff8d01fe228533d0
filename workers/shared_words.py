"""A few short texts that all processes of a worker share."""

import mmap

SIZE = 512


class SharedWords:
    """So many places for a word and a text; what is too long is cut.

    Two that write into one place at the same moment may leave a mixture: for people to read only.
    """

    def __init__(self, places: int) -> None:
        self._bytes = mmap.mmap(-1, SIZE * (places or 1))

    def write(self, place: int, word: str, text: str) -> None:
        """Put a word, which has no line break, and a text into a place."""
        line = f"{word}\n{text}".encode()[: SIZE - 1]
        self._bytes[place * SIZE : (place + 1) * SIZE] = line.ljust(SIZE, b"\0")

    def read(self, place: int) -> tuple[str, str]:
        """The word and the text in a place; both empty where nothing was written."""
        line = self._bytes[place * SIZE : (place + 1) * SIZE].split(b"\0", 1)[0]
        word, _, text = line.decode("utf-8", "replace").partition("\n")
        return word, text
