"""The values of settings while references are not followed yet."""

from dataclasses import dataclass

Path = tuple[str, ...]


@dataclass(frozen=True)
class Unknown:
    """A value with an error in it."""


@dataclass(frozen=True)
class Single:
    """A value that is neither a list nor a reference, as it is printed."""

    printed: str


@dataclass(frozen=True)
class List:
    elements: "list[Value]"


@dataclass(frozen=True)
class Reference:
    path: Path
    start: int


Value = Unknown | Single | List | Reference


@dataclass(frozen=True)
class Part:
    """What stands behind one operator of a setting: a value and where it starts."""

    value: Value
    start: int


def references_in(value: Value) -> list[Reference]:
    """Return all references in a value, also in the lists in it."""
    if isinstance(value, Reference):
        return [value]
    if isinstance(value, List):
        return [found for element in value.elements for found in references_in(element)]
    return []
