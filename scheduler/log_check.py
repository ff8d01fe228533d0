"""Reads the farm's whole log again, and says whether it is what its checkpoints say."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from models.records.key_leaves import TrustReader
from models.records.log_monitor import LogFindings, LogMonitor
from models.records.merkle import GrowingTree, is_consistent
from models.records.refusal import RecordRefused
from models.records.signed_note import Checkpoint, read_checkpoint, verify_checkpoint
from models.schemas.trust import TrustPolicy
from models.storage.transaction import Database
from models.storage.transparency_log import known_log, pending_leaves, prove_growth
from scheduler.whole_log import whole_log

UNSIGNED = (
    "no key that this log names signed the checkpoint that was kept: its file was altered (compare "
    "it with another copy), its key was revoked, or the log was begun anew under the same name"
)


@dataclass(frozen=True, slots=True)
class LogCheck:
    """What came of it; `grew_from` is the size of the kept checkpoint that the log grew out of."""

    log: str
    size: int
    pending: int
    findings: LogFindings
    grew_from: int | None = None


def check_log(database: Database, kept: str = "") -> LogCheck:
    """Check the log against its newest checkpoint, and that against one which somebody `kept`.

    Raises NotFound for a farm that keeps no log, RecordRefused where nothing like a checkpoint was
    kept.
    """
    old = read_checkpoint(kept) if kept else None
    with database.read() as session:
        state, pending = known_log(session), pending_leaves(session)
    reader, monitor, tree = TrustReader(state.origin, state.root_key), LogMonitor(), GrowingTree()
    for position, leaf in whole_log(database, state.size):
        reader.take(position, leaf)
        monitor.take(position, leaf)
        if position == tree.size:
            tree.add(leaf.encode())
    trust, findings = reader.policy(), monitor.finished()
    findings.faults += reader.faults
    try:
        checkpoint = verify_checkpoint(state.checkpoint, trust)
    except RecordRefused as error:
        findings.faults.append(error.message)
        return LogCheck(state.origin, state.size, pending, findings)
    findings.faults += _against_tree(tree, checkpoint)
    if old is None:
        return LogCheck(state.origin, state.size, pending, findings)
    if old.origin == state.origin and not _is_signed(kept, trust):
        findings.faults.append(UNSIGNED)
    elif not _grew_out_of(database, old, checkpoint):
        findings.faults.append(_why_not(old, checkpoint, findings.restored))
    else:
        return LogCheck(state.origin, state.size, pending, findings, old.size)
    return LogCheck(state.origin, state.size, pending, findings)


def _is_signed(note: str, trust: TrustPolicy) -> bool:
    try:
        verify_checkpoint(note, trust)
    except RecordRefused:
        return False
    return True


def _against_tree(tree: GrowingTree, checkpoint: Checkpoint) -> Iterator[str]:
    """Whether the leaves, up to the first that is missing, make the tree of the checkpoint."""
    if tree.size < checkpoint.size:
        yield f"the leaf at {tree.size} is missing"
    elif (tree.size, tree.root()) != (checkpoint.size, checkpoint.root):
        yield "the leaves are not those of the signed checkpoint: one was changed or taken out"


def _grew_out_of(database: Database, old: Checkpoint, new: Checkpoint) -> bool:
    with database.read() as session:
        path = prove_growth(session, old.size, new.size) if 0 < old.size <= new.size else []
    return old.origin == new.origin and is_consistent(
        (old.size, old.root), (new.size, new.root), path
    )


def _why_not(old: Checkpoint, new: Checkpoint, restored: Iterable[int]) -> str:
    """`restored` are the sizes from which the log went on after a restore."""
    before = sorted({size for size in restored if size < old.size})
    if old.origin != new.origin or not before:
        return "the log did not grow out of the checkpoint that was kept: it was begun anew or cut"
    at = " or ".join(map(str, before))
    return (
        f"the log was restored from a backup at leaf {at} and went on from there: the checkpoint "
        f"that was kept has {old.size} leaves, and those beyond are lost"
    )
