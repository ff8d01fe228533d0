"""A word that is no value."""


class WordError(Exception):
    """`offset` is the place of the mistake in the word, from 0."""

    def __init__(self, kind: str, offset: int) -> None:
        super().__init__(kind)
        self.kind = kind
        self.offset = offset
