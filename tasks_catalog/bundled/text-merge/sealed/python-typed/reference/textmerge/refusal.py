"""Why input is refused."""

from typing import Literal

Kind = Literal[
    "unknown_command",
    "bad_name",
    "bad_option",
    "repeated_option",
    "duplicate_name",
    "unexpected_line",
    "bad_section",
    "repeated_section",
    "missing_section",
    "end_of_input",
]


class Refused(Exception):
    """Input that is no block; `kind` is one of the ticket's kinds."""

    def __init__(self, kind: Kind) -> None:
        super().__init__(kind)
        self.kind = kind
