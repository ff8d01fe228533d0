"""The parameters of every list that is read page by page."""

from typing import Annotated

from fastapi import Query

Limit = Annotated[int, Query(ge=1, le=1_000, description="How many items at most.")]
Cursor = Annotated[
    str | None, Query(max_length=100, description="`next` of the page before; leave out to begin.")
]
