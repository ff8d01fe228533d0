"""Which campaign the demo runs: a new one, or the one that it has begun before."""

from pathlib import Path

from models.schemas.campaign import CampaignKind, CampaignSpec, CampaignState
from models.schemas.campaign_progress import CampaignView
from models.storage.campaigns import campaigns_called
from models.storage.results import cell_counts
from scheduler.campaign_files import read_campaign_file
from scheduler.cli.demo_wish import DemoWish
from scheduler.farm_access.local_farm import LocalFarm

DEMO_NAME = "demo"
DEMO_FILE = Path(__file__).with_name("demo_campaign.toml")
DEMO_LANGUAGES = ("go", "javascript", "python", "python-typed")
"""Enough for a board across languages, and soon proved; its task has more."""


def demo_spec(farm: LocalFarm, wish: DemoWish) -> CampaignSpec:
    """The bundled campaign, in the languages of the demo unless others are wished for."""
    spec = read_campaign_file(DEMO_FILE, farm.catalogue.variants())
    usual = tuple(one for one in spec.languages if one in DEMO_LANGUAGES)
    return spec.model_copy(
        update={
            "repeats": wish.repeats or spec.repeats,
            "languages": wish.languages or usual or spec.languages,
        }
    )


def in_languages(spec: CampaignSpec, able: set[str]) -> CampaignSpec:
    """The campaign in those of its languages that this machine is able to run."""
    return spec.model_copy(
        update={"languages": tuple(one for one in spec.languages if one in able)}
    )


def begun_demo(
    farm: LocalFarm, wanted: CampaignSpec, *, any_languages: bool
) -> CampaignView | None:
    """The newest campaign that asks what `wanted` asks, in the present universes.

    With `any_languages` it may leave some of the wanted ones out, as on a machine without their
    toolchains. Cancelled campaigns are over.
    """
    with farm.database.read() as session:
        for campaign in campaigns_called(session, wanted.name):
            alike = is_like(campaign.spec, wanted, any_languages=any_languages)
            over = campaign.state is CampaignState.CANCELLED
            if alike and not over and _is_present(farm, campaign):
                return campaign
    return None


def is_like(found: CampaignSpec, wanted: CampaignSpec, *, any_languages: bool) -> bool:
    """Whether two campaigns ask the same, apart from the languages if those are free."""
    if found.kind is not CampaignKind.EVALUATION:
        return False
    if any_languages and set(found.languages) <= set(wanted.languages):
        found = found.model_copy(update={"languages": wanted.languages})
    return found == wanted


def _is_present(farm: LocalFarm, campaign: CampaignView) -> bool:
    """Whether its tasks, checks and languages are still what they were."""
    with farm.database.read() as session:
        cells = cell_counts(session, [campaign.id])
    return all(
        farm.catalog.variant(cell.task, cell.language).universe == cell.universe for cell in cells
    )
