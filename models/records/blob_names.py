"""Long text outside the lines of a record, by digest: it may be withheld, but never altered."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import Any, cast

from models.records.refusal import Reason, RecordRefused
from models.schemas.record_event import RecordEvent

KEYS = {"sha256", "size", "media"}
TEXT = "text/plain; charset=utf-8"
LONGEST_INLINE = 4_000
"""Letters. What is longer stands in a blob."""


def blob_of(data: bytes, media: str = TEXT) -> dict[str, str | int]:
    """How an event names `data`."""
    return {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data), "media": media}


def shortened(value: Any) -> Any:
    """`value` with every long text in it replaced by its name.

    What comes from outside may look like the name of a blob: such an object becomes its JSON
    first, so that only the farm names blobs.
    """
    if isinstance(value, dict) and set(cast("dict[str, Any]", value)) == KEYS:
        value = json.dumps(value, ensure_ascii=False, sort_keys=True)
    if isinstance(value, str):
        return blob_of(_utf8(value)) if len(value) > LONGEST_INLINE else value
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
        return {key: shortened(item) for key, item in items}
    if isinstance(value, list | tuple):
        return [shortened(item) for item in cast("list[Any]", value)]
    return value


def named_blobs(events: Iterable[RecordEvent]) -> dict[str, int]:
    """Every blob that the events name, with its size in bytes. Raises RecordRefused (blob_altered)
    for one that is named with two sizes."""
    named: dict[str, int] = {}
    for event in events:
        for name, size in _named_in(event.body):
            if named.setdefault(name, size) != size:
                raise RecordRefused(
                    Reason.BLOB_ALTERED,
                    f"the blob {name[:64]!r} has {named[name]} bytes, and {size} in event "
                    f"{event.seq}.",
                )
    return named


def _named_in(value: Any) -> Iterator[tuple[str, int]]:
    if isinstance(value, dict):
        known = cast("dict[str, Any]", value)
        if set(known) == KEYS and isinstance(known["size"], int):
            yield str(known["sha256"]), known["size"]
        else:
            yield from (found for item in known.values() for found in _named_in(item))
    elif isinstance(value, list):
        yield from (found for item in cast("list[Any]", value) for found in _named_in(item))


def texts_named(value: Any, wanted: Iterable[str]) -> dict[str, bytes]:
    """The texts anywhere in a JSON value that are among the blobs `wanted`."""
    names = set(wanted)
    found = {hashlib.sha256(text).hexdigest(): text for text in map(_utf8, _texts(value))}
    return {name: text for name, text in found.items() if name in names}


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (
            text for item in cast("dict[str, Any]", value).values() for text in _texts(item)
        )
    elif isinstance(value, list):
        yield from (text for item in cast("list[Any]", value) for text in _texts(item))


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def refuse_altered(blobs: dict[str, bytes], named: dict[str, int]) -> None:
    """Raises RecordRefused (blob_altered) for a blob that is not what it is named by, or that no
    event names."""
    for name, data in blobs.items():
        if name not in named:
            raise RecordRefused(Reason.BLOB_ALTERED, f"no event names the blob {name}.")
        if hashlib.sha256(data).hexdigest() != name or len(data) != named[name]:
            raise RecordRefused(
                Reason.BLOB_ALTERED, f"the blob {name} is not what the events name."
            )
