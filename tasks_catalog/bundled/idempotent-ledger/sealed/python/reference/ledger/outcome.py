"""The two ways in which a command is not carried out."""


class Refused(Exception):
    """The command leaves no trace; `reason` is one of the ticket's."""

    def __init__(self, reason):
        super().__init__(reason)
        self.reason = reason


class Declined(Exception):
    """The command is remembered, but moves nothing; `reason` is one of the ticket's."""

    def __init__(self, reason):
        super().__init__(reason)
        self.reason = reason
