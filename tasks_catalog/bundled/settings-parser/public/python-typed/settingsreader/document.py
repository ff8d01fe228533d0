"""What was read from a document."""

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Mistake:
    """Lines and columns count from 1."""

    line: int
    column: int
    kind: str


@dataclass(frozen=True)
class Document:
    """`settings` are pairs of path and printed value."""

    settings: list[tuple[str, str]]
    errors: list[Mistake]
