"""Keys and strings as they are printed."""

from settingsreader.scanner import BARE, is_control

ESCAPED = {"\n": "\\n", "\t": "\\t", '"': '\\"', "\\": "\\\\"}


def printed_path(path):
    return ".".join(printed_key(key) for key in path)


def printed_key(key):
    if key != "" and all(character in BARE for character in key):
        return key
    return printed_string(key)


def printed_string(text):
    return '"' + "".join(printed_character(character) for character in text) + '"'


def printed_character(character):
    if character in ESCAPED:
        return ESCAPED[character]
    if is_control(character):
        return f"\\u{{{ord(character):x}}}"
    return character
