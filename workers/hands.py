"""What a worker process works with, opened once in the process that uses it."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from models.clock import Clock, SystemClock
from models.schemas.isolation_label import driver_of
from models.settings import Settings
from models.storage.artifact_opening import open_agent_artifacts, open_farm_artifacts
from models.storage.artifacts import ArtifactStore
from models.storage.database_clock import shared_clock
from models.storage.key_folder import KeyFolder
from models.storage.transaction import Database, open_database
from tasks_catalog.catalog import Catalog, open_catalog
from tasks_catalog.check_digests import CheckDigests
from workers.farm_sandbox import open_sandbox
from workers.fitness import Fitness
from workers.gateway_access import GatewayAccess, gateway_access
from workers.languages.language_runtime import LanguageRuntime
from workers.lease_keeper import LeaseKeeper
from workers.recall import Recall
from workers.run_recorder import RecordKeys
from workers.sandbox.sandbox import Sandbox
from workers.snapshots import KeptSnapshot
from workers.stage_tallies import StageTallies
from workers.temporary_files import keep_temporary_files


@dataclass(frozen=True, slots=True)
class WorkerPlan:
    """What a worker found out about its machine before it began, and hands to its children.

    `holds_sealed` is false for workers that must never open the sealed half, even where it
    lies on the same disk. `cold` languages had still to be warmed then. `fitness`, `recall` and
    `tallies` are shared with them.
    """

    settings: Settings
    name: str
    languages: Mapping[str, LanguageRuntime]
    isolation: str
    holds_sealed: bool
    cold: Mapping[str, LanguageRuntime] = field(default_factory=dict[str, LanguageRuntime])
    fitness: Fitness = field(default_factory=Fitness)
    recall: Recall = field(default_factory=Recall)
    tallies: StageTallies = field(default_factory=StageTallies)

    def runtime(self, language: str) -> LanguageRuntime | None:
        """A language as this machine serves it, None where it does not.

        A pool child that was forked before a language had been warmed finds it by its folders,
        which appear whole; a job in it only comes after the worker had it proved.
        """
        late = self.cold.get(language)
        return late if late is not None and late.is_warm else self.languages.get(language)


@dataclass(frozen=True, slots=True)
class Hands:
    """The open parts of one pool child.

    `starters` remembers the snapshot of each untouched starter by its public digest, `digests` the
    digests of the checks by universe. `gateway` is None on a farm without one.
    """

    plan: WorkerPlan
    clock: Clock
    database: Database
    catalog: Catalog
    artifacts: ArtifactStore
    sandbox: Sandbox
    keeper: LeaseKeeper
    keys: RecordKeys
    gateway: GatewayAccess | None = None
    starters: dict[str, KeptSnapshot] = field(default_factory=dict[str, KeptSnapshot])
    digests: dict[str, CheckDigests] = field(default_factory=dict[str, CheckDigests])

    def close(self) -> None:
        """Give back the sandbox slot, end the lease keeper, close the database and connections."""
        self.sandbox.close()
        if self.gateway is not None:
            self.gateway.close_connections()
        self.keeper.close()
        self.database.close()


def open_hands(plan: WorkerPlan) -> Hands:
    """Open everything in this process. Raises FarmError where a part can't be opened."""
    settings = plan.settings
    keep_temporary_files(settings.scratch)
    database = open_database(settings.database_url, answer_s=settings.lease.answer_s)
    clock = shared_clock(database, SystemClock())
    sealed = settings.catalog_sealed if plan.holds_sealed else None
    return Hands(
        plan=plan,
        clock=clock,
        database=database,
        catalog=open_catalog(settings.catalog_public, sealed, settings.languages),
        artifacts=(
            open_farm_artifacts(settings) if plan.holds_sealed else open_agent_artifacts(settings)
        ),
        sandbox=open_sandbox(settings, driver_of(plan.isolation)),
        keeper=LeaseKeeper(
            settings.database_url, settings.lease, clock, plan.tallies.note_failed_renewal
        ),
        keys=RecordKeys(KeyFolder(settings.keys)),
        gateway=gateway_access(settings),
    )


class HandsOnDemand:
    """The hands of this process: neither a database nor a sandbox slot survives a fork."""

    def __init__(self, plan: WorkerPlan) -> None:
        self.plan = plan
        self._owner = 0
        self._hands: Hands | None = None

    def get(self) -> Hands:
        """The hands of the calling process, opened at the first call."""
        if self._hands is None or self._owner != os.getpid():
            self._hands = open_hands(self.plan)
            self._owner = os.getpid()
        return self._hands

    def close(self) -> None:
        """Close them, if this process opened any."""
        if self._hands is not None and self._owner == os.getpid():
            self._hands.close()
        self._hands = None
