"""Lists that a server gives page by page."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypeVar

from models.schemas.api_answers import Page
from scheduler.remote_farm.connection import Connection, Params, Request

Item = TypeVar("Item")


@dataclass(frozen=True)
class PagedList(Generic[Item]):
    """A list below `path`, of which a page holds at most `most` items."""

    path: str
    shape: type[Page[Item]]
    most: int

    def first(self, connection: Connection, limit: int, params: Params) -> list[Item]:
        """The first `limit` items that fit `params`."""
        asked = {**params, "limit": min(limit, self.most)}
        return list(islice(self._items(connection, asked), limit))

    def _items(self, connection: Connection, params: Params) -> Iterator[Item]:
        cursor: str | None = None
        while True:
            request = Request("GET", self.path, {**params, "cursor": cursor})
            page = connection.ask(request, self.shape)
            yield from page.items
            if page.next is None:
                return
            cursor = page.next
