"""The farm whose database, artifacts and catalogue the settings of this process name."""

from dataclasses import dataclass
from functools import cached_property

from models.clock import Clock, SystemClock
from models.errors import NotFound
from models.settings import Settings
from models.storage.artifact_opening import open_farm_artifacts
from models.storage.artifacts import ArtifactStore
from models.storage.database_clock import shared_clock
from models.storage.transaction import Database, open_database
from scheduler.activity.look import ActivityLooks
from scheduler.campaign_lifecycle import offered_variants
from scheduler.embedded_farm.database_file import database_exists
from scheduler.farm_access.local_boards import LocalBoards
from scheduler.farm_access.local_campaigns import LocalCampaigns, LocalSteering
from scheduler.farm_access.local_gates import LocalGates
from scheduler.farm_access.local_proving import LocalProving
from scheduler.farm_access.local_recordings import LocalRecordings
from scheduler.farm_access.local_regrades import LocalRegrades
from scheduler.farm_access.local_runs import LocalOutputs, LocalRuns
from scheduler.farm_access.local_systems import LocalSystems
from scheduler.farm_access.local_workers import LocalWorkers
from scheduler.gate_queries import GateQueries
from tasks_catalog.catalog import Catalog, open_catalog
from tasks_catalog.listing import CatalogListing, list_catalog


@dataclass(frozen=True)
class LocalFarm:
    """Keeps `Farm`. Works while nothing of the farm runs; opens nothing before it is asked for."""

    settings: Settings

    @cached_property
    def clock(self) -> Clock:
        """The clock that the whole farm goes by."""
        return shared_clock(self.database, SystemClock())

    @cached_property
    def database(self) -> Database:
        """The database of the farm. Raises NotFound where there is none yet."""
        return self.open_database()

    def open_database(self, answer_s: float | None = None) -> Database:
        """The same once more, for a process that must not hang with its server: see the function
        of this name in `models/storage/transaction.py`."""
        if not database_exists(self.settings.database_url):
            raise NotFound(
                f"there is no farm in {self.settings.home} yet.",
                remedy="Begin with `gradefarm demo` or `gradefarm up`; `gradefarm db upgrade` "
                "only makes the database; GRADEFARM_HOME chooses another farm.",
            )
        return open_database(self.settings.database_url, answer_s=answer_s)

    @cached_property
    def catalog(self) -> Catalog:
        """The tasks and languages of the farm."""
        return open_catalog(
            self.settings.catalog_public, self.settings.catalog_sealed, self.settings.languages
        )

    @cached_property
    def artifacts(self) -> ArtifactStore:
        """Where snapshots, transcripts and raw output are kept."""
        return open_farm_artifacts(self.settings)

    @property
    def campaigns(self) -> LocalCampaigns:
        """Campaigns and how far they are."""
        return LocalCampaigns(self.database, self.workers)

    @property
    def activity(self) -> ActivityLooks:
        """What happens in campaigns."""
        return self._activity

    @cached_property
    def _activity(self) -> ActivityLooks:
        return ActivityLooks(self.database, self.catalog, self.settings.lease, self.clock)

    @property
    def steering(self) -> LocalSteering:
        """What changes campaigns."""
        return LocalSteering(
            self.settings, self.database, self.catalog, self.clock, lambda: self.artifacts
        )

    @property
    def systems(self) -> LocalSystems:
        """What is evaluated."""
        return LocalSystems(self.database, self.clock)

    @property
    def runs(self) -> LocalRuns:
        """Single runs."""
        return LocalRuns(self.database, lambda: self.artifacts)

    @property
    def recordings(self) -> LocalRecordings:
        """What was imported from elsewhere."""
        return LocalRecordings(self.database, lambda: self.artifacts, self.clock)

    @property
    def outputs(self) -> LocalOutputs:
        """What may hold answers."""
        return LocalOutputs(self.runs, self.catalog)

    @property
    def gates(self) -> LocalGates:
        """Proofs of verifiers."""
        return LocalGates(self._queries, self.workers, self.clock)

    @property
    def proving(self) -> LocalProving:
        """Runs parity gates."""
        return LocalProving(self._queries, self.workers, self.clock)

    @property
    def boards(self) -> LocalBoards:
        """Systems in tiers."""
        return LocalBoards(self.database, self.catalog, self.campaigns)

    @property
    def regrades(self) -> LocalRegrades:
        """Frozen snapshots, graded again."""
        return LocalRegrades(self.database, self.catalog, self.clock)

    @property
    def workers(self) -> LocalWorkers:
        """Who works, and at what."""
        return LocalWorkers(self.database, self.clock)

    @property
    def catalogue(self) -> "LocalCatalogue":
        """The tasks and languages, needing no database."""
        return LocalCatalogue(self.catalog)

    @property
    def _queries(self) -> GateQueries:
        return GateQueries(self.database, self.catalog)


@dataclass(frozen=True)
class LocalCatalogue:
    """Keeps `Catalogue` over folders of packages."""

    catalog: Catalog

    def variants(self) -> dict[str, tuple[str, ...]]:
        """The languages of every task, as far as they are defined here."""
        return offered_variants(self.catalog)

    def listing(self) -> CatalogListing:
        """Every task and language with what there is to say of it."""
        return list_catalog(self.catalog)
