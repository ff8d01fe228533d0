"""Counts in words: one of a thing is not told in the plural."""


def counted(count: int, noun: str, many: str = "") -> str:
    """`1 run`, `1000 runs`; `many` is the plural where it is not `noun` with an s."""
    return f"{count} {noun if count == 1 else many or f'{noun}s'}"
