"""Takes secrets out of what is shown or kept. Pure."""

import re
from collections.abc import Iterable

SHOWN = b"[secret]"
RUN_KEY = re.compile(rb"gfk-[A-Za-z0-9_-]{43}")
"""What the keys of runs look like; only their hashes are known."""
SHORTEST = 8
"""What is shorter is no secret, and would be found everywhere."""


class SecretsFilter:
    """Knows the providers' keys, the farm's token, and how the keys of runs look."""

    def __init__(self, secrets: Iterable[str]) -> None:
        self._secrets = tuple(one.encode() for one in secrets if len(one) >= SHORTEST)

    def clean(self, data: bytes) -> bytes:
        """`data` without any secret."""
        for secret in self._secrets:
            if secret in data:
                data = data.replace(secret, SHOWN)
        return RUN_KEY.sub(SHOWN, data) if b"gfk-" in data else data

    def clean_text(self, text: str) -> str:
        """`text` without any secret."""
        return self.clean(text.encode("utf-8", "replace")).decode()
