"""A list, page by page."""

from typing import Annotated, Generic, TypeVar

from fastapi import Query
from pydantic import BaseModel, Field

Item = TypeVar("Item")

Limit = Annotated[int, Query(ge=1, le=1_000, description="How many items at most.")]
Cursor = Annotated[
    str | None, Query(max_length=100, description="`next` of the page before; leave out to begin.")
]


class Page(BaseModel, Generic[Item]):
    """Some items of a list. Follow `next` until it is null: a page may be short, even empty."""

    items: list[Item]
    next: str | None = Field(description="Give it as `cursor` for the next page; null: no more.")
