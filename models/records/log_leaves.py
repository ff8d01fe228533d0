"""What is entered into the log: that a run began, how it was closed, who may sign.

Leaves are canonical JSON. They name what they stand for by digest, so that the log can be shown to
everybody.
"""

import hashlib

from pydantic import TypeAdapter, ValidationError

from models.canonical import canonical_bytes
from models.records.canonical_lines import read_canonical
from models.records.event_chain import line_digest
from models.records.refusal import Reason, RecordRefused, first_fault
from models.schemas.log_leaf import FarmLeaf, LogLeaf, RunLeaf
from models.schemas.record_statement import RunRecordPredicate

RUN_OPEN, RUN_VOID, FARM_KEY = "run.open", "run.void", "farm.key"
FARM_RESTORED = "farm.restored"
RUN_CLOSE, RUN_REGRADE = "run.close", "run.regrade"
LEAVES = TypeAdapter[RunLeaf | FarmLeaf](LogLeaf)
MOST_TOLD = 300
"""Letters of what is wrong with a leaf: it may hold anything."""


def open_leaf(run: str, attempt: int, first_line: bytes) -> str:
    """An attempt to record a run begins; `first_line` is its run.open."""
    return _leaf(kind=RUN_OPEN, run=run, attempt=attempt, line=line_digest(first_line))


def closing_leaf(said: RunRecordPredicate, payload: bytes) -> str:
    """A run was graded: `payload` is what the grader signed, and `said` what stands in it.

    A regrade is a kind of its own: it names the run that it was graded as, why, and the leaf that
    closed the run before, where there is one.
    """
    shared = {
        "run": said.run,
        "opened": said.opened,
        "payload": hashlib.sha256(payload).hexdigest(),
    }
    if not said.is_regrade:
        return _leaf(kind=RUN_CLOSE, **shared)
    again = {"graded_as": said.graded_as, "earlier": said.earlier, "why": said.why}
    return _leaf(kind=RUN_REGRADE, **shared, **again)


def void_leaf(run: str, attempt: int, category: str) -> str:
    """An attempt ended without a record that counts: `category` says why."""
    return _leaf(kind=RUN_VOID, run=run, attempt=attempt, category=category)


def restored_leaf(log: str, size: int) -> str:
    """The farm that keeps `log` was restored from a backup in which it had `size` leaves."""
    return _leaf(kind=FARM_RESTORED, log=log, size=size)


def read_leaf(leaf: str) -> RunLeaf | FarmLeaf:
    """What a leaf says. Raises RecordRefused (not_canonical, strange_leaf) for one that no farm
    writes."""
    try:
        read_canonical(leaf.encode("utf-8", "surrogatepass"), "the leaf")
        return LEAVES.validate_json(leaf, strict=True)
    except ValidationError as error:
        raise RecordRefused(
            Reason.STRANGE_LEAF, f"the leaf: {first_fault(error)[:MOST_TOLD]}."
        ) from error


def leaf_name(leaf: str) -> str:
    """By what one leaf names another: the SHA-256 of its text, in hexadecimal."""
    return hashlib.sha256(leaf.encode()).hexdigest()


def _leaf(**content: str | int) -> str:
    return canonical_bytes({"v": 1, **content}).decode()
