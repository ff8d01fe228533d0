"""What was answered under which key."""

from dataclasses import dataclass

from ledger.outcome import Refused

REMEMBERED_FOR = 86_400
"""Seconds from the first use of a key."""


@dataclass(frozen=True)
class _Use:
    at: int
    content: tuple[str, ...]
    answer: str


class Keys:
    """Remembers the answers to keyed commands; every client has keys of its own."""

    def __init__(self) -> None:
        self._uses: dict[tuple[str, str], _Use] = {}

    def recall(self, client: str, key: str, at: int, content: tuple[str, ...]) -> str | None:
        """Return the remembered answer, or None if the key is new or forgotten.

        Raises Refused if the key is remembered with another content.
        """
        use = self._uses.get((client, key))
        if use is None or at >= use.at + REMEMBERED_FOR:
            return None
        if use.content != content:
            raise Refused("key_conflict")
        return use.answer

    def remember(
        self, client: str, key: str, at: int, content: tuple[str, ...], answer: str
    ) -> None:
        self._uses[client, key] = _Use(at, content, answer)
