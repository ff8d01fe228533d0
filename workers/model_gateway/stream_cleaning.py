"""Takes secrets out of streamed replies, where a secret may come in pieces. Pure."""

from collections.abc import Iterator
from typing import cast

from workers.model_gateway.event_stream import (
    EventSplitter,
    as_event,
    data_object,
    event_kind,
)
from workers.model_gateway.secrets_filter import SecretsFilter

Path = tuple[str | int, ...]
Texts = dict[Path, str]
WHOLE = frozenset({"id", "item_id", "model", "object", "role", "system_fingerprint", "type"})
"""What never comes in pieces, and in some formats stands in each event."""
MOST_HELD = 200
"""Events; no secret has so many pieces."""


class StreamCleaner:
    """Holds events back while the texts that they spell piece by piece may become a secret."""

    def __init__(self, secrets: SecretsFilter) -> None:
        self._secrets = secrets
        self._held: list[tuple[bytes, Texts]] = []

    def feed(self, event: bytes) -> list[bytes]:
        """The events that can go on after this one, in order and without secrets."""
        said = data_object(event)
        self._held.append((event, {} if said is None else dict(_texts(said, ()))))
        spelt = self._spelt()
        if dirty := [path for path, text in spelt.items() if self._secrets.is_in(text)]:
            self._held = [self._without(one, dirty, spelt, n) for n, one in enumerate(self._held)]
            spelt = self._spelt()
        if said is not None and len(self._held) < MOST_HELD and self._is_pending(spelt):
            return []
        return self.rest()

    def rest(self) -> list[bytes]:
        """What is still held back: nothing follows that could make a secret of it."""
        held, self._held = self._held, []
        return [self._secrets.clean(event) for event, _ in held]

    def _is_pending(self, spelt: Texts) -> bool:
        """Whether what the last event goes on with may become a secret. One that says nothing, as
        a ping, interrupts nothing; any other ends the texts that it does not go on with."""
        _, last = self._held[-1]
        says_nothing = all(len(path) == 1 for path in last)
        going_on = spelt if says_nothing else last
        pieces = (path for path in going_on if path[-1] not in WHOLE)
        return any(self._secrets.may_end_in(spelt[path]) for path in pieces)

    def _spelt(self) -> Texts:
        """What the pieces at each place make up together."""
        spelt: Texts = {}
        for _, texts in self._held:
            for path, text in texts.items():
                spelt[path] = spelt.get(path, "") + text
        return spelt

    def _without(
        self, one: tuple[bytes, Texts], dirty: list[Path], spelt: Texts, number: int
    ) -> tuple[bytes, Texts]:
        """An event whose share of a dirty text is all of it, cleaned, or, but for the first that
        has one, nothing."""
        event, texts = one
        shares = {
            path: ""
            if any(path in before for _, before in self._held[:number])
            else self._secrets.clean_text(spelt[path])
            for path in dirty
            if path in texts
        }
        if not shares:
            return one
        said = data_object(event)
        for path, share in shares.items():
            _put(said, path, share)
        return as_event(said, event_kind(event)), {**texts, **shares}


def clean_reply(data: bytes, secrets: SecretsFilter) -> bytes:
    """A reply that is there as a whole, streamed or not, without secrets."""
    events, cleaner = list(EventSplitter().feed(data)), StreamCleaner(secrets)
    clean = [one for event in events for one in cleaner.feed(event)] + cleaner.rest()
    return secrets.clean(data) if clean == events else b"".join(one + b"\n\n" for one in clean)


def _texts(value: object, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for name, one in cast("dict[str, object]", value).items():
            yield from _texts(one, (*path, name))
    elif isinstance(value, list):
        for place, one in enumerate(cast("list[object]", value)):
            yield from _texts(one, (*path, place))


def _put(value: object, path: Path, text: str) -> None:
    *way, last = path
    for step in way:
        value = cast("dict[str | int, object]", value)[step]
    cast("dict[str | int, object]", value)[last] = text
