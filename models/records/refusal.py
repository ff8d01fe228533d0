"""Why a record is refused: a closed set, so that a program can tell one reason from another."""

from enum import StrEnum
from typing import TYPE_CHECKING

from models.errors import Blame, FarmError
from models.plain_text import one_line

if TYPE_CHECKING:  # the command line's help needs the reasons, not the library
    from pydantic import ValidationError


class Reason(StrEnum):
    """The one promise of a record that does not hold."""

    NOT_A_RECORD = "not_a_record"
    LINE_END = "line_end"
    NOT_CANONICAL = "not_canonical"
    NOT_AN_EVENT = "not_an_event"
    BROKEN_CHAIN = "broken_chain"
    NO_OPEN = "no_open"
    NO_CLOSE = "no_close"
    PAYLOAD_TYPE = "payload_type"
    BAD_SEAL = "bad_seal"
    BAD_SIGNATURE = "bad_signature"
    ROLE_MISSING = "role_missing"
    EVENTS_DIGEST = "events_digest"
    STATEMENT = "statement"
    RULES = "rules"
    EVENT_ORDER = "event_order"
    CONTRADICTION = "contradiction"
    UNIVERSE = "universe"
    PLAN = "plan"
    BAD_PROOF = "bad_proof"
    CHECKPOINT = "checkpoint"
    NOT_IN_LOG = "not_in_log"
    OPEN_NOT_IN_LOG = "open_not_in_log"
    OPENED_TOO_LATE = "opened_too_late"
    KEY_WINDOW = "key_window"
    KEY_REVOKED = "key_revoked"
    CHECK_OUTCOME = "check_outcome"
    VERDICT = "verdict"
    BLOB_ALTERED = "blob_altered"
    STRANGE_LEAF = "strange_leaf"
    SEEN_TWICE = "seen_twice"


class RecordRefused(FarmError):
    """A record does not prove what it says; `reason` names what is wrong.

    `message` becomes one line of letters: a record may say anything, also what looks like the
    verifier's own lines.
    """

    blame = Blame.USER
    exit_code = 4

    def __init__(self, reason: Reason, message: str, *, remedy: str = "") -> None:
        otherwise = "Ask for the record again, from whoever made it; don't use this one."
        super().__init__(one_line(f"{reason}: {message}"), remedy=remedy or otherwise)
        self.reason = reason


def first_fault(error: "ValidationError") -> str:
    """The first field that does not hold, and why."""
    first = error.errors()[0]
    return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"
