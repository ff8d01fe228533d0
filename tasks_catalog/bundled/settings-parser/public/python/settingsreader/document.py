"""What was read from a document."""


class Document:
    """`settings` are pairs of path and printed value, `errors` tuples of line, column and kind."""

    def __init__(self, settings, errors):
        self.settings = settings
        self.errors = errors
