"""Why a command is refused."""


class Refused(Exception):
    """A command that changes nothing; its text is the answer."""

    def __init__(self, kind, subject=None):
        super().__init__(f"refused {kind}" if subject is None else f"refused {kind} {subject}")
