"""What is entered into the log: that a run began, how it was closed, who may sign.

Leaves are canonical JSON. They name what they stand for by digest, so that the log can be shown to
everybody.
"""

import hashlib

from models.canonical import canonical_bytes
from models.records.event_chain import line_digest

RUN_OPEN, RUN_CLOSE, RUN_VOID, FARM_KEY = "run.open", "run.close", "run.void", "farm.key"


def open_leaf(run: str, attempt: int, first_line: bytes) -> str:
    """An attempt to record a run begins; `first_line` is its run.open."""
    return _leaf(kind=RUN_OPEN, run=run, attempt=attempt, line=line_digest(first_line))


def close_leaf(run: str, opened: str, payload: bytes, earlier: str, why: str) -> str:
    """A run was graded: `payload` is what the grader signed.

    `opened` is the name of the open leaf. Where the run had been closed before, `earlier` names
    that leaf and `why` says what for; both are empty otherwise.
    """
    return _leaf(
        kind=RUN_CLOSE,
        run=run,
        opened=opened,
        payload=hashlib.sha256(payload).hexdigest(),
        earlier=earlier,
        why=why,
    )


def void_leaf(run: str, attempt: int, category: str) -> str:
    """An attempt ended without a record that counts: `category` says why."""
    return _leaf(kind=RUN_VOID, run=run, attempt=attempt, category=category)


def leaf_name(leaf: str) -> str:
    """By what one leaf names another: the SHA-256 of its text, in hexadecimal."""
    return hashlib.sha256(leaf.encode()).hexdigest()


def _leaf(**content: str | int) -> str:
    return canonical_bytes({"v": 1, **content}).decode()
