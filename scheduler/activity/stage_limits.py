"""How long a stage of a run may take, as far as this machine's catalogue tells."""

from models.errors import FarmError
from models.schemas.campaign import CampaignLimits
from models.schemas.run import Stage
from models.schemas.task import TaskManifest
from tasks_catalog.catalog import Catalog


class StageLimits:
    """The limits of stages in seconds, looked up once for each variant."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._known: dict[tuple[str, str], tuple[TaskManifest, float] | None] = {}

    def of(self, stage: Stage, task: str, language: str, limits: CampaignLimits) -> float | None:
        """The longest that a stage may work; None where the catalogue lacks task or language.

        The grade stage has no limit of its own: this is what the build and all checks may take.
        """
        if (task, language) not in self._known:
            self._known[task, language] = self._look_up(task, language)
        found = self._known[task, language]
        if found is None:
            return None
        manifest, factor = found
        own = manifest.limits
        if stage is Stage.AGENT:
            return (limits.agent_wall_s or own.agent_wall_s) * factor
        return (own.build_wall_s + len(manifest.checks) * own.check_wall_s) * factor

    def _look_up(self, task: str, language: str) -> tuple[TaskManifest, float] | None:
        """The manifest, and the factor of the language."""
        try:
            return self._catalog.task(task), self._catalog.language(language).limit_factor
        except FarmError:
            return None
