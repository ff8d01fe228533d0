"""Single runs of a farm elsewhere."""

from dataclasses import dataclass
from urllib.parse import quote

from models.schemas.api_answers import Page
from models.schemas.check_report import CheckReport
from models.schemas.run_details import RunDetails
from models.schemas.run_filter import RunFilter
from models.schemas.run_view import RunView
from models.schemas.transcript import Transcript
from scheduler.remote_farm.connection import Connection, Request
from scheduler.remote_farm.pages import PagedList

RUNS = PagedList("runs", Page[RunView], 1_000)


@dataclass(frozen=True)
class RemoteRuns:
    """Keeps `Runs` over HTTP."""

    connection: Connection

    def listed(self, wanted: RunFilter, *, limit: int, after: int = 0) -> list[RunView]:
        """Up to `limit` runs as they were planned, page by page."""
        params = {
            "campaign": wanted.campaign_id,
            "state": wanted.state,
            "verdict": wanted.verdict,
            "system": wanted.system,
            "task": wanted.task,
            "language": wanted.language,
            "after": after or None,
        }
        return RUNS.first(self.connection, limit, params)

    def opened(self, run: int) -> RunDetails:
        """One run with every attempt."""
        return self.connection.ask(Request("GET", f"runs/{run}"), RunDetails)

    def report(self, run: int) -> CheckReport:
        """The whole check report of a run."""
        return self.connection.ask(Request("GET", f"runs/{run}/checks"), CheckReport)

    def transcript(self, run: int, attempt: int | None) -> Transcript:
        """The transcript of an agent attempt."""
        request = Request("GET", f"runs/{run}/transcript", {"attempt": attempt})
        return self.connection.ask(request, Transcript)


@dataclass(frozen=True)
class RemoteOutputs:
    """Keeps `Outputs` over HTTP; the server gives them to admins."""

    connection: Connection

    def artifact(self, digest: str) -> bytes:
        """The bytes that are called so."""
        return self.connection.ask_bytes(Request("GET", f"artifacts/{quote(digest, safe=':')}"))

    def expected(self, run: int) -> dict[str, str]:
        """What the server knows of it."""
        return self.connection.ask(Request("GET", f"runs/{run}/expected"), dict[str, str])
