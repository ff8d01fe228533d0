"""Reads the farm's whole log again, and says whether it is what its checkpoints say."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from models.records.key_leaves import trust_of
from models.records.log_monitor import LogFindings, monitored
from models.records.merkle import completed, is_consistent, leaf_hash, tree_root
from models.records.refusal import RecordRefused
from models.records.signed_note import Checkpoint, read_checkpoint, verify_checkpoint
from models.schemas.trust import TrustPolicy
from models.storage.transaction import Database
from models.storage.transparency_log import known_log, pending_leaves, prove_growth
from scheduler.farm_keys import log_leaves

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
    leaves = [(at, leaf) for at, leaf in log_leaves(database) if at < state.size]
    trust, faults = trust_of(state.origin, state.root_key, leaves)
    findings = monitored(leaves)
    findings.faults += faults
    try:
        checkpoint = verify_checkpoint(state.checkpoint, trust)
        findings.faults += _against_tree(leaves, checkpoint)
    except RecordRefused as error:
        findings.faults.append(error.message)
        return LogCheck(state.origin, state.size, pending, findings)
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


def _against_tree(leaves: Iterable[tuple[int, str]], checkpoint: Checkpoint) -> Iterator[str]:
    """Whether the leaves make the tree of the checkpoint."""
    nodes: dict[tuple[int, int], bytes] = {}

    def node(level: int, index: int) -> bytes:
        return nodes[level, index]

    size = 0
    for size, (position, leaf) in enumerate(leaves, 1):
        if position != size - 1:
            yield f"the leaf at {size - 1} is missing"
            return
        nodes[0, position] = hashed = leaf_hash(leaf.encode())
        nodes |= {(level, at): made for level, at, made in completed(position, hashed, node)}
    if (size, tree_root(size, node)) != (checkpoint.size, checkpoint.root):
        yield "the leaves are not those of the signed checkpoint: one was changed or taken out"


def _grew_out_of(database: Database, old: Checkpoint, new: Checkpoint) -> bool:
    with database.read() as session:
        path = prove_growth(session, old.size) if 0 < old.size <= new.size else []
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
