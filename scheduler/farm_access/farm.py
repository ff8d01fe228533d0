"""A farm as people see it: what can be asked of it, and what it can be told to do.

Every command of the command line that can work from elsewhere talks to these protocols and to
nothing below them. They are kept by `local_farm` over the database, and by `scheduler.remote_farm`
over HTTP; both raise the same errors.
"""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Protocol

from models.schemas.api_answers import PausedCampaign
from models.schemas.board import Board
from models.schemas.budget import Budget, Resource, Spend
from models.schemas.campaign import CampaignSpec, CampaignState
from models.schemas.campaign_activity import CampaignActivity
from models.schemas.campaign_progress import CampaignProgress, CampaignView
from models.schemas.campaign_status import CampaignStanding, CampaignStatus
from models.schemas.check_report import CheckReport
from models.schemas.recording import Recording, RecordingView
from models.schemas.regrade import Regrade
from models.schemas.run_details import RunDetails
from models.schemas.run_filter import RunFilter
from models.schemas.run_view import RunView
from models.schemas.system_limit import SystemLimits, SystemLoad
from models.schemas.transcript import Transcript
from models.schemas.work_force import WorkForce
from models.schemas.worker import Duty
from scheduler.gates.decision_diff import DecisionDiff
from scheduler.gates.language_matrix import LanguageMatrix
from scheduler.gates.proofs import GateQuery, ProofPlan, VariantProof
from tasks_catalog.listing import CatalogListing

ANY_STATE = tuple(CampaignState)
NEWEST = "newest"
"""Stands for the newest campaign that is not a gate's, wherever a campaign's id is asked for."""


class ExportFormat(StrEnum):
    """The formats of decisions that other tools read."""

    STRYKER = "stryker"
    CTRF = "ctrf"
    JUNIT = "junit"


class Campaigns(Protocol):
    """Campaigns and how far they are. Without an id, or with NEWEST, the newest but gates."""

    def find(
        self, campaign_id: str | None, states: tuple[CampaignState, ...] = ANY_STATE
    ) -> CampaignView:
        """The campaign of that id; without one, the newest in one of `states`. Raises NotFound."""
        ...

    def listed(self, limit: int) -> Sequence[CampaignStanding]:
        """The newest `limit`, newest first, gates included."""
        ...

    def status(self, campaign_id: str | None) -> CampaignStatus:
        """How far one is. Raises NotFound."""
        ...

    def looks(self, campaign_ids: Sequence[str]) -> Iterator[tuple[CampaignProgress, ...]]:
        """How far each of them is, again and again, without an end; waits between two looks."""
        ...


class Activities(Protocol):
    """What happens in campaigns."""

    def look(self, campaign_ids: Sequence[str]) -> CampaignActivity:
        """What happens in them now, as if they were one. Raises NotFound."""
        ...


class Steering(Protocol):
    """What changes campaigns. Raises NotFound, and Refused for one whose state forbids it."""

    def start(self, spec: CampaignSpec, *, unproven: bool) -> CampaignView:
        """Plan a campaign and let its runs begin. Raises InvalidInput, and Refused if unproved."""
        ...

    def pause(self, campaign_id: str, *, now: bool) -> PausedCampaign:
        """Give out no more of its work; with `now` take back what is at work."""
        ...

    def resume(self, campaign_id: str) -> None: ...

    def cancel(self, campaign_id: str) -> None: ...

    def set_budget(self, campaign_id: str, budget: Budget) -> dict[Resource, Spend]:
        """Let it use so much in all; what is not named stays. Returns what it has and used."""
        ...


class Systems(Protocol):
    """What is evaluated, whoever asked for it. Raises NotFound."""

    def loads(self) -> Sequence[SystemLoad]:
        """Every system, the newest first."""
        ...

    def limit(self, name: str, limits: SystemLimits) -> SystemLoad:
        """Set the limits of the newest system of that name, or the one with that id, in place of
        those that it had."""
        ...


class Runs(Protocol):
    """Single runs. Raises NotFound."""

    def listed(self, wanted: RunFilter, *, limit: int, after: int = 0) -> Sequence[RunView]:
        """Up to `limit` runs as planned, by repeat, then cell, behind the run `after`."""
        ...

    def opened(self, run: int) -> RunDetails: ...

    def report(self, run: int) -> CheckReport:
        """What every check said. Raises NotFound where it was never graded."""
        ...

    def transcript(self, run: int, attempt: int | None) -> Transcript:
        """What the system did; of a regraded run, in the run that it is from."""
        ...


class Outputs(Protocol):
    """What may hold answers: only for those who may know them."""

    def artifact(self, digest: str) -> bytes:
        """The bytes that a report or an attempt names. Raises NotFound."""
        ...

    def expected(self, run: int) -> dict[str, str]:
        """The expected exit code and output by check id, as far as they are known and the same
        as when the run was graded."""
        ...


class Recordings(Protocol):
    """What agents did elsewhere, as their owners recorded it. Raises NotFound."""

    def listed(self, *, limit: int) -> Sequence[RecordingView]:
        """The newest `limit`, newest first."""
        ...

    def opened(self, number: int) -> Recording:
        """One with all of its steps."""
        ...


class Gates(Protocol):
    """Proofs of verifiers. Raises NotFound for unknown names."""

    def proofs(self, query: GateQuery, *, as_served: bool = False) -> Sequence[VariantProof]:
        """The newest decision about each variant in its present universe, cut to the query.

        `as_served`: only decisions made with the tools that a language is served with now.
        """
        ...

    def matrices(self, query: GateQuery) -> Sequence[LanguageMatrix]: ...

    def difference(self, before: str, after: str) -> DecisionDiff:
        """Two universes of a variant, by the first digits of their digests."""
        ...

    def last_difference(self, task: str, language: str) -> DecisionDiff:
        """The newest decided universe of a variant against the one before."""
        ...

    def export(self, report: ExportFormat, query: GateQuery, *, with_sources: bool) -> bytes:
        """The decisions in the format of another tool, ready to be written."""
        ...


class Proving(Protocol):
    """Runs parity gates."""

    def plan(self, query: GateQuery, *, repeats: int, force: bool) -> ProofPlan:
        """Which variants have to be proved, and why; with `force` all."""
        ...

    def begin(self, query: GateQuery, *, repeats: int, force: bool) -> tuple[str, ...]:
        """Start what `plan` says, or go on where it was interrupted; returns the campaigns."""
        ...


class Boards(Protocol):
    """Systems in tiers."""

    def board(self, campaign_ids: Sequence[str]) -> Board:
        """The board of campaigns, each counted once; of the newest where none is named.

        Raises NotFound, and Refused for campaigns that can't be added up.
        """
        ...


class Regrades(Protocol):
    """Frozen snapshots, graded again."""

    def begin(self, source_id: str, *, again: bool, unproven: bool) -> str:
        """The campaign that grades the snapshots of `source_id` in the present universe.

        The one that does so already, unless `again`. Raises Refused where nothing changed, unless
        `again`, and as `start_regrade`.
        """
        ...

    def result(self, campaign_id: str, limit: int) -> Regrade:
        """What came out otherwise, `limit` runs at most."""
        ...


class Workers(Protocol):
    """Who works, and at what."""

    def force(self, *, everyone: bool = False) -> WorkForce:
        """The living workers; with `everyone`, the silent ones as well."""
        ...

    def tell(self, name: str, duty: Duty, reason: str) -> str:
        """Tell a worker what to do, named with or without its host; its whole name.

        Raises NotFound, and Refused where the name may be several workers'.
        """
        ...

    def tell_all(self, duty: Duty) -> Sequence[str]:
        """Tell every living worker that no operator put in quarantine; their names."""
        ...

    def busy(self, names: Sequence[str]) -> Sequence[str]:
        """Those of the workers called `names` that still have work, or may still take some."""
        ...

    def hint(self, languages: Sequence[str]) -> str:
        """In words, what keeps the farm from working, in `languages` too; empty: nothing does."""
        ...


class Catalogue(Protocol):
    """The tasks and languages of a farm."""

    def variants(self) -> dict[str, tuple[str, ...]]:
        """The languages of every task, as far as they are defined there."""
        ...

    def listing(self) -> CatalogListing:
        """Every task and language with what there is to say of it."""
        ...


class Farm(Protocol):
    """One farm, here or elsewhere."""

    @property
    def campaigns(self) -> Campaigns: ...

    @property
    def activity(self) -> Activities: ...

    @property
    def steering(self) -> Steering: ...

    @property
    def systems(self) -> Systems: ...

    @property
    def runs(self) -> Runs: ...

    @property
    def recordings(self) -> Recordings: ...

    @property
    def outputs(self) -> Outputs: ...

    @property
    def gates(self) -> Gates: ...

    @property
    def proving(self) -> Proving: ...

    @property
    def boards(self) -> Boards: ...

    @property
    def regrades(self) -> Regrades: ...

    @property
    def workers(self) -> Workers: ...

    @property
    def catalogue(self) -> Catalogue: ...
