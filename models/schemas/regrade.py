"""What became of runs whose frozen snapshots were graded again."""

from models.schemas.base import Schema


class RegradedRun(Schema):
    """One run that came out otherwise than the run that its snapshot is from.

    `before` and `after` are `passed`, `failed`, `void` or `cancelled`; `checks` holds (check id,
    outcome before, outcome after) of every check that ended otherwise, in plan order; an outcome
    is empty where the check was not asked.
    """

    run_id: int
    source_run_id: int
    system: str
    task: str
    language: str
    repeat: int
    before: str
    after: str
    checks: tuple[tuple[str, str, str], ...]

    @property
    def label(self) -> str:
        """`system/task/language/r<repeat>`, for people."""
        return f"{self.system}/{self.task}/{self.language}/r{self.repeat}"


class UniverseChange(Schema):
    """A variant in the universe of the source campaign, and in that of the regrade."""

    task: str
    language: str
    before: str
    after: str


class Regrade(Schema):
    """A regrade against its source. `turned` counts runs by (before, after); all runs are in it."""

    campaign_id: str
    source_id: str
    universes: tuple[UniverseChange, ...]
    turned: tuple[tuple[str, str, int], ...]
    changed: tuple[RegradedRun, ...]
