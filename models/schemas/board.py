"""Systems in tiers, as data: every figure with its band, its runs and its voids."""

from typing import Literal, Self

from pydantic import Field, NonNegativeInt, model_validator

from models.canonical import digest_of
from models.schemas.band import Band, VoidEnvelope
from models.schemas.base import Schema
from models.schemas.model_replies import SystemReplies


class CellCount(Schema):
    """What is known of one system on one variant in one universe: the input of a board.

    `failed` includes `undelivered`. `void_by_category` counts runs that ended void after their
    last attempt; a void attempt that a later one repaired is not among them. What is planned and
    neither valid nor void has not ended yet. `scripted` marks systems without a language model.
    """

    system: str = Field(min_length=1)
    system_id: str = Field(min_length=1)
    scripted: bool
    task: str = Field(min_length=1)
    language: str = Field(min_length=1)
    universe: str = Field(min_length=1)
    passed: NonNegativeInt
    failed: NonNegativeInt
    undelivered: NonNegativeInt = 0
    void_by_category: dict[str, NonNegativeInt] = Field(default_factory=dict)
    planned: NonNegativeInt

    @property
    def valid(self) -> int:
        """Runs with a verdict that counts."""
        return self.passed + self.failed

    @property
    def voids(self) -> int:
        """Runs that infrastructure took away."""
        return sum(self.void_by_category.values())

    @property
    def variant(self) -> tuple[str, str]:
        """Task and language."""
        return self.task, self.language

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        where = f"{self.system} on {self.task}/{self.language}"
        if self.undelivered > self.failed:
            raise ValueError(f"{where}: {self.undelivered} undelivered of {self.failed} failed")
        if self.valid + self.voids > self.planned:
            raise ValueError(
                f"{where}: {self.valid} valid and {self.voids} void of {self.planned} planned runs"
            )
        return self


class BoardPolicy(Schema):
    """What was decided before the numbers were seen.

    `undelivered` says which reading of undelivered runs is the headline. `cell_share` is the
    least share of the board's cells in which a ranked system has valid runs. Above
    `harmless_loss` (share of launched runs without an outcome) a separation has to survive the
    lost runs; above `rankable_loss` there is no rank.
    """

    undelivered: Literal["failed", "excluded"] = "failed"
    level: float = Field(default=0.95, gt=0.5, lt=1)
    cell_share: float = Field(default=0.9, ge=0, le=1)
    harmless_loss: float = Field(default=0.02, ge=0, le=1)
    rankable_loss: float = Field(default=0.10, ge=0, le=1)


class CancelledCampaign(Schema):
    """A campaign that somebody ended: of `planned` runs, `graded` count and `cancelled` don't.

    What is neither was lost to infrastructure.
    """

    campaign_id: str
    planned: NonNegativeInt
    graded: NonNegativeInt
    cancelled: NonNegativeInt


class BoardProvenance(Schema):
    """Where the counts come from and what is not vouched for.

    `isolated` is False when any run had less than the full sandbox; `unproven` is True when
    any variant lacks a green parity gate in its universe, or lacked it when a campaign began.
    `cancelled`: the campaigns among them that were ended before all of their runs had.
    `suite_tasks`: the tasks with checks that a native test suite asks. `replies`: what became of
    the replies of language models.
    """

    campaign_ids: tuple[str, ...] = Field(min_length=1)
    isolated: bool
    unproven: bool
    cancelled: tuple[CancelledCampaign, ...] = ()
    suite_tasks: tuple[str, ...] = ()
    replies: tuple[SystemReplies, ...] = ()


class VariantUniverse(Schema):
    """The digest of all that decides a score in one variant."""

    task: str
    language: str
    digest: str


class ComparisonBand(Schema):
    """The interval that decides who differs: never clipped, never a confidence interval.

    `cells` are the ones common to all ranked systems; `n` and `voids` count this system's runs
    in them. `covers_lost_runs` says that the ends take every lost run as failed or as passed.
    """

    low: float
    high: float
    cells: int = Field(ge=1)
    n: int = Field(ge=1)
    voids: NonNegativeInt
    covers_lost_runs: bool


class BoardCell(Schema):
    """k of n of one system in one variant, under the policy's reading of undelivered runs."""

    task: str
    language: str
    passed: NonNegativeInt
    n: NonNegativeInt
    band: Band
    undelivered: NonNegativeInt
    void_by_category: dict[str, NonNegativeInt]
    planned: NonNegativeInt


class LanguageSubtotal(Schema):
    """The mean over this system's tasks in one language."""

    language: str
    band: Band


class UndeliveredReadings(Schema):
    """How many runs delivered nothing, at which rate, and the score under both readings."""

    count: NonNegativeInt
    rate: Band
    counted_as_failed: Band
    excluded: Band


class RankInterval(Schema):
    """The ranks that the comparison leaves open; 1 is the top."""

    best: int = Field(ge=1)
    worst: int = Field(ge=1)


class BoardSystem(Schema):
    """One row. `tier`, `rank`, `comparison` are None exactly when `unranked_reason` is given.

    `headline` speaks of these tasks, `similar_tasks` of tasks drawn like them; `pending` runs
    are planned and have not ended; `envelope` is given when runs have no outcome; `replies` when
    those of its language model are counted.
    """

    name: str
    system_id: str
    scripted: bool
    headline: Band
    similar_tasks: Band
    comparison: ComparisonBand | None
    tier: int | None
    rank: RankInterval | None
    letters: tuple[str, ...]
    unranked_reason: str | None
    languages: tuple[LanguageSubtotal, ...]
    cells: tuple[BoardCell, ...]
    void_by_category: dict[str, NonNegativeInt]
    undelivered: UndeliveredReadings
    envelope: VoidEnvelope | None
    planned: NonNegativeInt
    pending: NonNegativeInt
    replies: SystemReplies | None = None

    @property
    def voids(self) -> int:
        """Runs that infrastructure took away, in all cells."""
        return sum(self.void_by_category.values())

    @model_validator(mode="after")
    def _is_ranked_or_says_why(self) -> Self:
        ranked = [self.tier is not None, self.rank is not None, self.comparison is not None]
        if any(given == (self.unranked_reason is not None) for given in ranked):
            raise ValueError(f"{self.name}: a rank and a reason for having none exclude each other")
        return self


class Separation(Schema):
    """`upper` and `lower` are names of systems whose comparison bands do not overlap.

    `on_similar_tasks` says whether the difference would also hold on tasks drawn like these;
    None when there are too few common tasks to say.
    """

    upper: str
    lower: str
    on_similar_tasks: bool | None


class Board(Schema):
    """Systems in order of tier; unranked ones last. Only runs of one universe per variant.

    `compared_cells` of all `universes` are common to the ranked systems;
    `comparison_covers_lost_runs` says that some ranked system lost more than the harmless share.
    """

    schema_version: Literal[1] = 1
    campaign_ids: tuple[str, ...]
    universes: tuple[VariantUniverse, ...]
    isolated: bool
    unproven: bool
    cancelled: tuple[CancelledCampaign, ...] = ()
    suite_tasks: tuple[str, ...] = ()
    policy: BoardPolicy
    compared_cells: NonNegativeInt
    comparison_covers_lost_runs: bool
    systems: tuple[BoardSystem, ...]
    separations: tuple[Separation, ...]

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks on the board, in order of name."""
        return tuple(sorted({universe.task for universe in self.universes}))

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages on the board, in order of name."""
        return tuple(sorted({universe.language for universe in self.universes}))

    @property
    def universe_fingerprint(self) -> str:
        """One digest over all variants and theirs; boards that differ in it don't compare."""
        return digest_of([[u.task, u.language, u.digest] for u in self.universes])
