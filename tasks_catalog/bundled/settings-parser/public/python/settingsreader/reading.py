"""Reads a document line by line."""

from settingsreader.document import Document
from settingsreader.words import WordError, read_word

BLANKS = " \t"
BARE = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"


def read(text):
    """Return the Document with all settings, or with the first error."""
    settings = []
    section = ""
    for number, line in enumerate(text.split("\n"), start=1):
        statement = line.strip(BLANKS)
        if statement == "" or statement.startswith("#"):
            continue
        if statement.startswith("["):
            if not statement.endswith("]") or not is_key(statement[1:-1]):
                return Document([], [(number, 1, "syntax")])
            section = statement[1:-1] + "."
            continue
        key, equals, rest = line.partition("=")
        key = key.strip(BLANKS)
        if not equals or not is_key(key):
            return Document([], [(number, 1, "syntax")])
        value = rest.strip(BLANKS)
        column = len(line) - len(rest.lstrip(BLANKS)) + 1
        try:
            settings.append((section + key, read_value(value)))
        except WordError as error:
            return Document([], [(number, column + error.offset, error.kind)])
    return Document(settings, [])


def is_key(text):
    return text != "" and all(character in BARE for character in text)


def read_value(value):
    """Return the printed value, or raise WordError."""
    if len(value) >= 2 and value[0] == '"' and value[-1] == '"':
        if '"' in value[1:-1] or "\\" in value:
            raise WordError("syntax", 0)
        return value
    return read_word(value)
