"""Why a command is refused."""

from typing import Literal

Kind = Literal[
    "unknown_command",
    "wrong_arguments",
    "bad_form",
    "out_of_range",
    "transition_order",
    "empty_window",
    "zone_exists",
    "series_exists",
    "unknown_zone",
    "unknown_series",
    "same_series",
    "no_occurrence",
    "unknown_occurrence",
    "already_skipped",
    "not_changed",
]


class Refused(Exception):
    """A command that is not carried out; `kind` is one of the ticket's kinds."""

    def __init__(self, kind: Kind) -> None:
        super().__init__(kind)
        self.kind = kind
