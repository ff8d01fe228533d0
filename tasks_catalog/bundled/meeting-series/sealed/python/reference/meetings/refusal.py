"""Why a command is refused."""


class Refused(Exception):
    """A command that is not carried out; `kind` is one of the ticket's kinds."""

    def __init__(self, kind):
        super().__init__(kind)
        self.kind = kind
