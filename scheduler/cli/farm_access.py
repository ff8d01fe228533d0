"""What a command needs of a farm: its settings, database, catalogue and artifacts."""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import typer

from models.clock import Clock, SystemClock
from models.errors import NotFound
from models.schemas.campaign import CampaignKind, CampaignState
from models.schemas.campaign_progress import CampaignView
from models.settings import Settings, current_settings
from models.storage.artifacts import ArtifactStore, open_artifacts
from models.storage.campaigns import find_campaign, newest_campaign
from models.storage.database_clock import shared_clock
from models.storage.transaction import Database, open_database
from scheduler.campaign_lifecycle import offered_variants
from scheduler.embedded_farm.database_file import database_exists
from tasks_catalog.catalog import Catalog, open_catalog

JsonFlag = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


@dataclass(frozen=True)
class FarmAccess:
    """One farm, seen from the command line. Works while nothing of the farm runs."""

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
        return open_artifacts(self.settings.artifacts_url)

    def campaign(self, campaign_id: str | None) -> CampaignView:
        """The campaign of that id; without one, the newest that is not a gate's.

        Raises NotFound.
        """
        return self.campaign_in(campaign_id, tuple(CampaignState))

    def campaign_in(
        self, campaign_id: str | None, states: tuple[CampaignState, ...]
    ) -> CampaignView:
        """The campaign of that id; without one, the newest in one of `states`, gates apart.

        Raises NotFound.
        """
        with self.database.read() as session:
            if campaign_id is not None:
                return find_campaign(session, campaign_id)
            found = newest_campaign(session, CampaignKind.EVALUATION, states)
        if found is not None:
            return found
        if states != tuple(CampaignState):
            raise NotFound(
                f"there is no campaign that is {' or '.join(states)}.",
                remedy="`gradefarm campaign list` shows all of them; name the one you mean.",
            )
        raise NotFound(
            "there is no campaign yet.",
            remedy="Write one with `gradefarm campaign new`, then `gradefarm campaign start` it.",
        )

    def variants(self) -> dict[str, tuple[str, ...]]:
        """The languages of every task of the catalogue, as far as they are defined here."""
        return offered_variants(self.catalog)


def open_farm() -> FarmAccess:
    """The farm that the environment of this process names. Touches nothing yet."""
    return FarmAccess(current_settings())
