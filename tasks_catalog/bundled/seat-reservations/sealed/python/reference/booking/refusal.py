"""Why a step is refused."""


class Refused(Exception):
    """A step that changes nothing; its text is the answer."""

    def __init__(self, kind, subject=""):
        super().__init__(f"refused {kind} {subject}".rstrip(" "))
