"""Reads lines that have one form only: two parsers can't read two things out of them."""

import json
from typing import Any, cast

import rfc8785

from models.canonical import DEEPER, LARGEST_EXACT, canonical_bytes, with_canonical_form
from models.records.refusal import Reason, RecordRefused

DEEPEST = 64
"""How deep lists and objects may stand in each other."""


class _Strange(ValueError):
    """JSON that readers understand in more than one way."""


def read_canonical(line: bytes, what: str) -> dict[str, Any]:
    """The object that `line` holds. Raises RecordRefused (not_canonical), naming `what`, for bytes
    that are not the one form of RFC 8785 of an object with text, whole numbers below 2^53, true,
    false, null, lists and objects."""
    try:
        value = json.loads(
            line.decode("utf-8"),
            object_pairs_hook=_object,
            parse_float=_no_float,
            parse_constant=_no_float,
            parse_int=_whole,
        )
        if not isinstance(value, dict):
            raise _Strange("it is no object")
        if _depth_exceeds(cast("object", value), DEEPEST):
            raise _Strange(f"it is nested more than {DEEPEST} deep")
        if canonical_bytes(cast("object", value)) != line:
            raise _Strange("its bytes are not their own canonical form")
    except (ValueError, RecursionError, rfc8785.CanonicalizationError) as error:
        raise RecordRefused(Reason.NOT_CANONICAL, f"{what}: {_short(error)}.") from error
    return cast("dict[str, Any]", value)


def _short(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if not isinstance(error, _Strange) else str(error)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Strange("a key appears twice")
    return found


def _no_float(text: str) -> float:
    raise _Strange(f"{text} is not a whole number")


def _whole(text: str) -> int:
    # Longer ones can't be exact, and Python refuses the longest with another error.
    if len(text) > 17 or abs(int(text)) > LARGEST_EXACT:
        raise _Strange(f"{text[:20]} is not exact everywhere")
    return int(text)


def _depth_exceeds(value: object, most: int) -> bool:
    if isinstance(value, dict):
        inside = list(cast("dict[str, object]", value).values())
    elif isinstance(value, list):
        inside = cast("list[object]", value)
    else:
        return False
    return most == 0 or any(_depth_exceeds(item, most - 1) for item in inside)


def writable(value: object, depth: int = DEEPEST - 1) -> Any:
    """`value` as a record can hold it: whatever has no exact form becomes text.

    Floats and large numbers become their digits, surrogates without a partner U+FFFD, and what is
    nested more than `depth` deep an ellipsis.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value) if abs(value) <= LARGEST_EXACT else str(value)
    if isinstance(value, str):
        return with_canonical_form(value)
    if isinstance(value, dict | list | tuple) and depth == 0:
        return DEEPER
    if isinstance(value, dict):
        items = cast("dict[object, object]", value).items()
        return {with_canonical_form(str(key)): writable(item, depth - 1) for key, item in items}
    if isinstance(value, list | tuple):
        return [writable(item, depth - 1) for item in cast("list[object]", value)]
    return with_canonical_form(str(value))
