"""A test of a native suite as it stands in its source."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FoundTest:
    """`name` is what a report calls it, `path` its own name below those of its groups."""

    name: str
    path: tuple[str, ...]
