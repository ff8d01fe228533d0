"""Makes check ids from the names that tests have where they come from. Pure."""

import re
from collections.abc import Iterable, Sequence

LONGEST = 56
"""Characters of an id before its number, so that it stays one with it."""

EDGE_OF_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
NEITHER_LETTER_NOR_DIGIT = re.compile(r"[^a-z0-9]+")


def slug_of(text: str) -> str:
    """Letters and digits in lower case with hyphens between words; `x` where there are none."""
    spaced = EDGE_OF_WORDS.sub("-", text).lower()
    return NEITHER_LETTER_NOR_DIGIT.sub("-", spaced).strip("-")[:LONGEST].strip("-") or "x"


def check_ids(paths: Sequence[tuple[str, ...]], taken: Iterable[str]) -> list[str]:
    """An id for every test, in order, different from each other and from `taken`.

    A path is a test's name below those of its groups. Groups that all tests share say nothing, and
    are left out; a second test of the same slug gets the number 2.
    """
    shared = _shared_groups(paths)
    used = set(taken)
    ids: list[str] = []
    for path in paths:
        slug = slug_of(" ".join(path[shared:]))
        number, found = 1, slug
        while found in used:
            number += 1
            found = f"{slug}-{number}"
        used.add(found)
        ids.append(found)
    return ids


def _shared_groups(paths: Sequence[tuple[str, ...]]) -> int:
    shared = 0
    while paths and all(
        len(path) > shared + 1 and path[: shared + 1] == paths[0][: shared + 1] for path in paths
    ):
        shared += 1
    return shared
