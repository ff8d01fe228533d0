"""Regrades of the farm whose database and catalogue are at hand."""

from dataclasses import dataclass

from models.clock import Clock
from models.errors import Refused
from models.schemas.campaign import CampaignState
from models.schemas.campaign_request import CampaignRequest
from models.schemas.regrade import Regrade
from models.storage.campaigns import find_campaign, variants_asked
from models.storage.regrades import read_regrade, regrades_of
from models.storage.transaction import Database
from scheduler.campaign_lifecycle import Insert, plan_by
from scheduler.regrading import begin_regrade, present_variants
from tasks_catalog.catalog import Catalog


@dataclass(frozen=True)
class LocalRegrades:
    """Keeps `Regrades` over a database."""

    database: Database
    catalog: Catalog
    clock: Clock

    def begin(
        self,
        source_id: str,
        *,
        again: bool,
        unproven: bool,
        request: CampaignRequest | None = None,
        insert: Insert | None = None,
    ) -> str:
        """A new regrade, which `request` is kept with, or the earlier one that asks the same.

        Its runs are inserted by `insert`, at once by default.
        """
        if not again:
            if earlier := self._earlier(source_id):
                return earlier
            self._refuse_without_change(source_id)
        begun = begin_regrade(
            self.database,
            self.catalog,
            source_id,
            self.clock,
            unproven=unproven,
            request=request,
        )
        plan_by(insert, self.database, begun, self.clock)
        return begun

    def result(self, campaign_id: str, limit: int) -> Regrade:
        """A regrade against its source."""
        with self.database.read() as session:
            return read_regrade(session, campaign_id, limit)

    def _earlier(self, source_id: str) -> str | None:
        """The newest regrade in exactly the present universes, unless it was cancelled."""
        with self.database.read() as session:
            asked = variants_asked(session, source_id)
            known = {one: variants_asked(session, one) for one in regrades_of(session, source_id)}
            states = {one: find_campaign(session, one).state for one in known}
        present = set(present_variants(self.catalog, source_id, asked))
        fitting = [one for one, variants in known.items() if set(variants) == present]
        kept = [one for one in fitting if states[one] is not CampaignState.CANCELLED]
        return kept[-1] if kept else None

    def _refuse_without_change(self, source_id: str) -> None:
        with self.database.read() as session:
            asked = variants_asked(session, source_id)
        if set(present_variants(self.catalog, source_id, asked)) == set(asked):
            raise Refused(
                f"{source_id} was graded in exactly the present universe.",
                remedy="Change a check, a task or a language first; --again grades it all the "
                "same.",
            )
