"""Throws away what no record needs: artifacts that no row names, and the evidence of old proofs.

What evaluations left is never touched: every attempt is kept, and can be graded again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from models.counted_nouns import counted
from models.errors import Refused
from models.schemas.base import Schema
from models.storage.artifacts import ArtifactStore, PrunableStore
from models.storage.campaign_states import any_active_campaign
from models.storage.leases import earliest_lease_end
from models.storage.superseded_gates import superseded_gate_runs
from models.storage.table_rows import kept_tables
from models.storage.transaction import Database
from models.storage.workers import forget_workers
from scheduler.keeping.artifact_references import ArtifactReferences, note_rows
from scheduler.keeping.backup import Tell

AT_ONCE = 200


class Pruned(Schema):
    """What was removed, or with `dry_run` would be. `bytes_freed` is the size of the artifacts."""

    artifacts: int
    bytes_freed: int
    workers: int
    dry_run: bool


@dataclass(frozen=True)
class PruneWish:
    """What to throw away: all that is older than `before` (epoch seconds) and that nobody needs.

    `gates`: also what gates left that were decided again in the same universe; their decisions
    stay.
    """

    before: float
    gates: bool
    dry_run: bool


def prune(
    database: Database,
    artifacts: ArtifactStore,
    stores: Sequence[PrunableStore],
    wish: PruneWish,
    tell: Tell,
) -> Pruned:
    """Throw away what `wish` says; `artifacts` reads what all `stores` hold.

    Raises Refused while a campaign is at work: a run may have kept an artifact that no row names
    as yet.
    """
    _refuse_at_work(database)
    needed = _needed(database, artifacts, wish)
    removed = freed = 0
    for store in stores:
        unneeded = (one for one in store.stale(wish.before) if one[0] not in needed)
        while some := list(islice(unneeded, AT_ONCE)):
            if not wish.dry_run:
                _refuse_at_work(database)
                _remove(store, some)
            removed += len(some)
            freed += sum(size for _, size in some)
            tell(counted(removed, "artifact"))
    with database.transaction() as session:
        workers = forget_workers(session, wish.before, only_count=wish.dry_run)
    return Pruned(artifacts=removed, bytes_freed=freed, workers=workers, dry_run=wish.dry_run)


def _needed(database: Database, artifacts: ArtifactStore, wish: PruneWish) -> frozenset[str]:
    references = ArtifactReferences(artifacts)
    with database.read() as session:
        unneeded = superseded_gate_runs(session, wish.before) if wish.gates else frozenset[int]()
        note_rows(session, references, kept_tables(session), without=unneeded)
    return references.names()


def _remove(store: PrunableStore, some: Sequence[tuple[str, int]]) -> None:
    for digest, _ in some:
        store.remove(digest)


def _refuse_at_work(database: Database) -> None:
    with database.read() as session:
        at_work = earliest_lease_end(session) is not None or any_active_campaign(session)
    if at_work:
        raise Refused(
            "campaigns are at work, and what runs have kept so far is not in any row yet.",
            remedy="Pause the campaigns first (`gradefarm campaign pause --now`); what was thrown "
            "away by now was needed by nobody.",
        )
