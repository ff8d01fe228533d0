"""Keys and strings as they are printed."""

from settingsreader.scanner import BARE, is_control
from settingsreader.values import Path

ESCAPED = {"\n": "\\n", "\t": "\\t", '"': '\\"', "\\": "\\\\"}


def printed_path(path: Path) -> str:
    return ".".join(printed_key(key) for key in path)


def printed_key(key: str) -> str:
    if key != "" and all(character in BARE for character in key):
        return key
    return printed_string(key)


def printed_string(text: str) -> str:
    return '"' + "".join(printed_character(character) for character in text) + '"'


def printed_character(character: str) -> str:
    if character in ESCAPED:
        return ESCAPED[character]
    if is_control(character):
        return f"\\u{{{ord(character):x}}}"
    return character
