"""Why a command is refused."""


class Refused(Exception):
    """A command that is not carried out; `reason` is one of the ticket's reasons."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
