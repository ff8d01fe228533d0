"""A farm elsewhere with all that can be asked of it and told to it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import quote
from uuid import uuid4

from models.schemas.board import Board
from models.schemas.campaign_progress import CampaignView
from models.schemas.regrade import Regrade
from models.schemas.work_force import WorkersTold, WorkForce
from models.schemas.worker import Duty
from models.settings import Settings
from scheduler.remote_farm.connection import Connection, Request
from scheduler.remote_farm.remote_activity import RemoteActivity
from scheduler.remote_farm.remote_campaigns import RemoteCampaigns, RemoteSteering
from scheduler.remote_farm.remote_gates import RemoteGates, RemoteProving
from scheduler.remote_farm.remote_recordings import RemoteRecordings
from scheduler.remote_farm.remote_runs import RemoteOutputs, RemoteRuns
from scheduler.remote_farm.remote_systems import RemoteSystems
from scheduler.remote_farm.server_address import parse_address
from scheduler.remote_farm.token import token_of
from tasks_catalog.listing import CatalogListing

VERBS = {Duty.SERVE: "resume", Duty.DRAIN: "drain", Duty.QUARANTINE: "quarantine"}


@dataclass(frozen=True)
class RemoteFarm:
    """Keeps `Farm` over HTTP; connects when it is first asked."""

    settings: Settings
    notice: Callable[[str], None]
    """Told in words what somebody who waits should know."""

    @cached_property
    def connection(self) -> Connection:
        """The server, with the token that the settings name."""
        return Connection(parse_address(self.settings.server), token_of(self.settings))

    @property
    def campaigns(self) -> RemoteCampaigns:
        """Campaigns and how far they are."""
        return RemoteCampaigns(self.connection, self.notice)

    @property
    def activity(self) -> RemoteActivity:
        """What happens in campaigns."""
        return self._activity

    @cached_property
    def _activity(self) -> RemoteActivity:
        return RemoteActivity(self.connection)

    @property
    def steering(self) -> RemoteSteering:
        """What changes campaigns."""
        return RemoteSteering(self.connection, self.campaigns)

    @property
    def runs(self) -> RemoteRuns:
        """Single runs."""
        return RemoteRuns(self.connection)

    @property
    def recordings(self) -> RemoteRecordings:
        """What was imported from elsewhere."""
        return RemoteRecordings(self.connection)

    @property
    def outputs(self) -> RemoteOutputs:
        """What may hold answers."""
        return RemoteOutputs(self.connection)

    @property
    def gates(self) -> RemoteGates:
        """Proofs of verifiers."""
        return RemoteGates(self.connection)

    @property
    def proving(self) -> RemoteProving:
        """Runs parity gates."""
        return RemoteProving(self.connection)

    @property
    def boards(self) -> "RemoteBoards":
        """Systems in tiers."""
        return RemoteBoards(self.connection)

    @property
    def regrades(self) -> "RemoteRegrades":
        """Frozen snapshots, graded again."""
        return RemoteRegrades(self.connection)

    @property
    def systems(self) -> RemoteSystems:
        """What is evaluated."""
        return RemoteSystems(self.connection)

    @property
    def workers(self) -> "RemoteWorkers":
        """Who works, and at what."""
        return RemoteWorkers(self.connection)

    @property
    def catalogue(self) -> "RemoteCatalogue":
        """The tasks and languages there."""
        return RemoteCatalogue(self.connection)


@dataclass(frozen=True)
class RemoteBoards:
    """Keeps `Boards` over HTTP."""

    connection: Connection

    def board(self, campaign_ids: Sequence[str]) -> Board:
        """The board of campaigns; of the newest where none is named."""
        return self.connection.ask(Request("GET", "boards", {"campaign": campaign_ids}), Board)


@dataclass(frozen=True)
class RemoteRegrades:
    """Keeps `Regrades` over HTTP."""

    connection: Connection

    def begin(self, source_id: str, *, again: bool, unproven: bool) -> str:
        """A new regrade, or the earlier one that asks the same."""
        body = {"campaign": source_id, "again": again, "unproven": unproven}
        request = Request("POST", "regrades", body=body, key=str(uuid4()))
        return self.connection.ask(request, CampaignView).id

    def result(self, campaign_id: str, limit: int) -> Regrade:
        """A regrade against its source."""
        path = f"regrades/{quote(campaign_id, safe='')}"
        return self.connection.ask(Request("GET", path, {"limit": limit}), Regrade)


@dataclass(frozen=True)
class RemoteWorkers:
    """Keeps `Workers` over HTTP."""

    connection: Connection

    def force(self, *, everyone: bool = False) -> WorkForce:
        """Workers with what they do and the runs that they have in work."""
        asked = {"everyone": "true"} if everyone else {}
        return self.connection.ask(Request("GET", "workers", asked), WorkForce)

    def tell(self, name: str, duty: Duty, reason: str) -> str:
        """Tell one worker."""
        path = f"workers/{quote(name, safe='')}/{VERBS[duty]}"
        request = Request("POST", path, body={"reason": reason})
        return self.connection.ask(request, WorkersTold).names[0]

    def tell_all(self, duty: Duty) -> Sequence[str]:
        """Tell every living worker."""
        return self.connection.ask(Request("POST", f"workers/{VERBS[duty]}"), WorkersTold).names

    def busy(self, names: Sequence[str]) -> Sequence[str]:
        """As the farm there shows them."""
        force = self.force()
        known = [worker for worker in force.workers if worker.name in names]
        return [w.name for w in known if w.may_be_busy or force.in_work.get(w.name)]

    def hint(self, languages: Sequence[str]) -> str:
        """What is missing there."""
        request = Request("GET", "workers", {"language": languages})
        return self.connection.ask(request, WorkForce).hint


@dataclass(frozen=True)
class RemoteCatalogue:
    """Keeps `Catalogue` over HTTP."""

    connection: Connection

    def variants(self) -> dict[str, tuple[str, ...]]:
        """The languages of every task, as far as they are defined there."""
        return self.connection.ask(Request("GET", "variants"), dict[str, tuple[str, ...]])

    def listing(self) -> CatalogListing:
        """The tasks and languages with what there is to say of each."""
        return self.connection.ask(Request("GET", "catalogue"), CatalogListing)
