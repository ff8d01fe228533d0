"""Jobs done in the test's own process, without a broker."""

from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from models.clock import SystemClock
from models.schemas.campaign import CampaignSpec
from models.schemas.run import Stage
from models.schemas.run_filter import RunFilter
from models.schemas.run_view import AttemptView, RunView
from models.storage.runs import attempts_of, find_run, list_runs
from models.storage.transaction import Database
from scheduler.campaign_lifecycle import start_campaign
from tasks_catalog.catalog import open_catalog
from workers.hands import HandsOnDemand
from workers.jobs import run_job

LANGUAGES = Path(__file__).resolve().parents[2] / "tasks_catalog" / "languages"


@dataclass
class Bench:
    """A database with one campaign, and the hands of a worker."""

    root: Path
    database: Database
    hands: HandsOnDemand

    def start(self, agent: str, settings: dict[str, JsonValue] | None = None) -> int:
        """Plan one run; its id."""
        plan = self.hands.plan.settings
        catalog = open_catalog(plan.catalog_public, plan.catalog_sealed, plan.languages)
        spec = CampaignSpec.model_validate(
            {
                "name": "bench",
                "tasks": ["summing"],
                "languages": ["python"],
                "repeats": 1,
                "systems": [{"name": "one", "agent": agent, "settings": settings or {}}],
            }
        )
        campaign = start_campaign(self.database, catalog, spec, SystemClock(), unproven=True)
        with self.database.read() as session:
            return list_runs(session, RunFilter(campaign_id=campaign))[0].id

    def work(self, run: int, *stages: Stage) -> RunView:
        """Do the stages in this process; the run afterwards."""
        for stage in stages:
            run_job(self.hands, run, stage)
        return self.run(run)

    def run(self, run: int) -> RunView:
        with self.database.read() as session:
            return find_run(session, run)

    def attempts(self, run: int) -> list[AttemptView]:
        with self.database.read() as session:
            return attempts_of(session, run)
