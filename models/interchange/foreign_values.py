"""What other programs wrote, as values that can be kept, listed and given out again."""

import json
from datetime import UTC, datetime
from typing import Annotated, cast

from pydantic import Field, JsonValue

from models.canonical import LARGEST_EXACT, with_canonical_form

DEEPEST = 64
"""Levels of a document; no agent nests what it tells so deep."""
MOST_DOLLARS = 1e9
LAST_MOMENT = datetime(9999, 12, 31, tzinfo=UTC).timestamp()

Count = Annotated[int, Field(ge=0, le=LARGEST_EXACT)]
Dollars = Annotated[float, Field(ge=-MOST_DOLLARS, le=MOST_DOLLARS)]
Moment = Annotated[float, Field(ge=0, le=LAST_MOMENT)]
"""Epoch seconds that a calendar has."""


def foreign_json(text: str | bytes) -> JsonValue:
    """A JSON value without what no other program may be told: see `with_canonical_form`.

    Raises ValueError for what is no JSON, or has too many levels to be read at all.
    """
    try:
        return cast("JsonValue", with_canonical_form(json.loads(text), DEEPEST))
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
