"""Takes secrets out of what is shown or kept. Pure."""

import re
from collections.abc import Iterable

SHOWN = b"[secret]"
RUN_KEY = re.compile(rb"gfk-[A-Za-z0-9_-]{43}")
"""What the keys of runs look like; only their hashes are known."""
_ESCAPE = r"(?<!\\)\\++u(?i:%s)"
"""How JSON may write a letter, also within a text that is JSON itself. Who looks behind looks at
each row of backslashes once."""
RUN_KEY_IN_ESCAPES = re.compile(
    "".join(f"(?:{one}|{_ESCAPE % f'{ord(one):04x}'})" for one in "gfk-").encode()
    + b"(?:[A-Za-z0-9_-]|"
    + (_ESCAPE % "00(?:2d|3[0-9]|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9a])").encode()
    + b"){43}"
)
BEGUN_RUN_KEY = re.compile(r"g(f(k(-[A-Za-z0-9_-]{0,42})?)?)?\Z")
SHORTEST = 8
"""What is shorter is no secret, and would be found everywhere."""


class SecretsFilter:
    """Knows the providers' keys, the farm's token, and how the keys of runs look."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._texts = tuple(one for one in secrets if len(one) >= SHORTEST)
        self._secrets = tuple(one.encode() for one in self._texts)
        self._in_escapes = (*map(_in_escapes, self._texts), RUN_KEY_IN_ESCAPES)

    def clean(self, data: bytes) -> bytes:
        """`data` without any secret, also where JSON writes letters of one as escapes."""
        for secret in self._secrets:
            if secret in data:
                data = data.replace(secret, SHOWN)
        if b"gfk-" in data:
            data = RUN_KEY.sub(SHOWN, data)
        if b"\\u" in data or b"\\/" in data:
            for secret in self._in_escapes:
                data = secret.sub(SHOWN, data)
        return data

    def clean_text(self, text: str) -> str:
        """`text` without any secret."""
        return self.clean(text.encode("utf-8", "replace")).decode()

    def is_in(self, text: str) -> bool:
        """Whether there is a secret in `text`."""
        data = text.encode("utf-8", "replace")
        return self.clean(data) != data

    def may_end_in(self, text: str) -> bool:
        """Whether `text` ends with what a secret may begin with."""
        return BEGUN_RUN_KEY.search(text) is not None or any(
            secret.startswith(text[place:])
            for secret in self._texts
            for place in _places(text, secret)
        )


def _in_escapes(secret: str) -> re.Pattern[bytes]:
    """Finds a secret whose letters may be written as escapes."""
    return re.compile("".join(map(_letter, secret)).encode())


def _letter(letter: str) -> str:
    plain = r"(?<!\\)\\*+/" if letter == "/" else re.escape(letter)
    return f"(?:{plain}|{_ESCAPE % f'{ord(letter):04x}'})"


def _places(text: str, secret: str) -> Iterable[int]:
    """Where `secret` can begin near the end of `text` without being whole."""
    first = max(0, len(text) - len(secret) + 1)
    return (place for place in range(first, len(text)) if text[place] == secret[0])
