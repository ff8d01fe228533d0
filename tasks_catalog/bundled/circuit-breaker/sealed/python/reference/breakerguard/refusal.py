"""Why a request is refused."""


class Refused(Exception):
    """A request that is not carried out; `kind` is one of the ticket's error kinds."""

    def __init__(self, kind):
        super().__init__(kind)
        self.kind = kind
