"""TOML values as text. Pure."""

import json
from collections.abc import Iterable


def toml_string(text: str) -> str:
    """A TOML string: JSON escapes all that has to be, but for one character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def toml_list(words: Iterable[str]) -> str:
    """A TOML list of strings on one line."""
    return "[" + ", ".join(map(toml_string, words)) + "]"
