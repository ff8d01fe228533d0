"""Why a step is refused."""


class Refused(Exception):
    """A step that changes nothing; its text is the answer."""

    def __init__(self, kind: str, subject: str = "") -> None:
        super().__init__(f"refused {kind} {subject}".rstrip(" "))
