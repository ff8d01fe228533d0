"""Takes secrets out of what is shown or kept. Pure."""

import re
from collections.abc import Iterable

SHOWN = b"[secret]"
RUN_KEY = re.compile(rb"gfk-[A-Za-z0-9_-]{43}")
"""What the keys of runs look like; only their hashes are known."""
BEGUN_RUN_KEY = re.compile(r"g(f(k(-[A-Za-z0-9_-]{0,42})?)?)?\Z")
SHORTEST = 8
"""What is shorter is no secret, and would be found everywhere."""


class SecretsFilter:
    """Knows the providers' keys, the farm's token, and how the keys of runs look."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._texts = tuple(one for one in secrets if len(one) >= SHORTEST)
        self._secrets = tuple(one.encode() for one in self._texts)

    def clean(self, data: bytes) -> bytes:
        """`data` without any secret."""
        for secret in self._secrets:
            if secret in data:
                data = data.replace(secret, SHOWN)
        return RUN_KEY.sub(SHOWN, data) if b"gfk-" in data else data

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


def _places(text: str, secret: str) -> Iterable[int]:
    """Where `secret` can begin near the end of `text` without being whole."""
    first = max(0, len(text) - len(secret) + 1)
    return (place for place in range(first, len(text)) if text[place] == secret[0])
