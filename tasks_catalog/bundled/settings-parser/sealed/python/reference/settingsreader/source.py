"""The characters of a document."""

BYTE_ORDER_MARK = "\ufeff"


class Source:
    """Characters by index, every line end a single line feed, without the byte order mark."""

    def __init__(self, text):
        self._text = text.removeprefix(BYTE_ORDER_MARK).replace("\r\n", "\n")

    def __len__(self):
        return len(self._text)

    def at(self, index):
        """Return the character there, an empty string behind the last one."""
        return self._text[index] if index < len(self._text) else ""

    def slice(self, start, end):
        return self._text[start:end]

    def place(self, index):
        """Return line and column of a character, both from 1."""
        line_start = self._text.rfind("\n", 0, index) + 1
        return self._text.count("\n", 0, index) + 1, index - line_start + 1
