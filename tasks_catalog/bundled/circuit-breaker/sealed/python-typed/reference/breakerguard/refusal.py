"""Why a request is refused."""

from typing import Literal

RefusalKind = Literal[
    "invalid_json",
    "not_an_object",
    "missing_field",
    "wrong_type",
    "unknown_operation",
    "out_of_range",
    "conflicting_statuses",
    "already_configured",
    "unknown_target",
    "time_backwards",
    "duplicate_call",
    "unknown_call",
]


class Refused(Exception):
    """A request that is not carried out."""

    def __init__(self, kind: RefusalKind) -> None:
        super().__init__(kind)
        self.kind: RefusalKind = kind
