"""Why input is refused."""


class Refused(Exception):
    """Input that is no block; `kind` is one of the ticket's kinds."""

    def __init__(self, kind):
        super().__init__(kind)
        self.kind = kind
