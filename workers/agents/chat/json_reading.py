"""Reads values of a certain kind out of JSON that somebody else wrote. Pure."""

import json
from collections.abc import Mapping
from typing import cast

from models.canonical import with_canonical_form
from models.limitless_json import read_limitless


def read_json(text: str | bytes) -> object:
    """The value that `text` is, as near to it as text can be written. Raises ValueError for what
    is none, or nested too deep."""
    try:
        return with_canonical_form(json.loads(text))
    except RecursionError as error:
        raise ValueError("nested too deep") from error


def read_reply(data: str | bytes) -> object:
    """The same of what a provider said: the model's own words in it keep nobody from reading the
    rest. Raises ValueError for what is no JSON, and what broke off."""
    return with_canonical_form(read_limitless(data))


def is_object(text: str) -> bool:
    """Whether `text` is a JSON object."""
    try:
        return isinstance(read_json(text), dict)
    except ValueError:
        return False


def text_at(value: object, *path: str | int) -> str:
    """The text at `path`; empty where there is none."""
    found = value_at(value, *path)
    return found if isinstance(found, str) else ""


def list_at(value: object, *path: str | int) -> list[object]:
    """The list at `path`; empty where there is none."""
    found = value_at(value, *path)
    return cast("list[object]", found) if isinstance(found, list) else []


def value_at(value: object, *path: str | int) -> object:
    """What lies at `path`; None where nothing does."""
    for step in path:
        if isinstance(step, str) and isinstance(value, Mapping):
            value = cast("Mapping[str, object]", value).get(step)
        elif isinstance(step, int) and isinstance(value, list):
            items = cast("list[object]", value)
            value = items[step] if step < len(items) else None
        else:
            return None
    return value
