"""Single runs of the farm whose database and artifacts are at hand."""

from collections.abc import Callable
from dataclasses import dataclass

from models.errors import NotFound
from models.schemas.check_report import CheckReport
from models.schemas.run_details import RunDetails
from models.schemas.run_filter import RunFilter
from models.schemas.run_view import RunView
from models.schemas.transcript import Transcript
from models.storage.artifacts import ArtifactStore
from models.storage.regrades import source_run
from models.storage.reply_counts import replies_of
from models.storage.results import find_report
from models.storage.runs import attempts_of, find_run, list_runs
from models.storage.transaction import Database
from scheduler.farm_access.expected_answers import expected_answers
from tasks_catalog.catalog import Catalog


@dataclass(frozen=True)
class LocalRuns:
    """Keeps `Runs` over a database and its artifacts, opened where they are needed."""

    database: Database
    artifacts: Callable[[], ArtifactStore]

    def listed(self, wanted: RunFilter, *, limit: int, after: int = 0) -> list[RunView]:
        """Up to `limit` runs as they were planned."""
        with self.database.read() as session:
            return list_runs(session, wanted, limit=limit, after=after)

    def opened(self, run: int) -> RunDetails:
        """One run with every attempt."""
        with self.database.read() as session:
            source = source_run(session, run)
            return RunDetails(
                run=find_run(session, run),
                attempts=tuple(attempts_of(session, run)),
                source_run=source,
                replies=replies_of(session, source or run),
            )

    def report(self, run: int) -> CheckReport:
        """The whole check report of a run."""
        with self.database.read() as session:
            find_run(session, run)
            view = find_report(session, run)
        if view is None:
            raise NotFound(
                f"run {run} has no check report: it was not graded.",
                remedy=f"`gradefarm runs show {run}` says where it is.",
            )
        return CheckReport.model_validate_json(self.artifacts().get(view.report))

    def transcript(self, run: int, attempt: int | None) -> Transcript:
        """The transcript of an agent attempt, the last one that has one if none is named."""
        with self.database.read() as session:
            find_run(session, run)
            worked = source_run(session, run) or run
            found = [
                one
                for one in attempts_of(session, worked)
                if one.transcript and (attempt is None or one.number == attempt)
            ]
        if not found or found[-1].transcript is None:
            raise NotFound(
                f"run {run} has no transcript{f' of attempt {attempt}' if attempt else ' yet'}.",
                remedy=f"`gradefarm runs show {run}` lists its attempts.",
            )
        return Transcript.model_validate_json(self.artifacts().get(found[-1].transcript))


@dataclass(frozen=True)
class LocalOutputs:
    """Keeps `Outputs` over artifacts, and the sealed half of the catalogue where it is here."""

    runs: LocalRuns
    catalog: Catalog

    def artifact(self, digest: str) -> bytes:
        """The bytes that are called so."""
        return self.runs.artifacts().get(digest)

    def expected(self, run: int) -> dict[str, str]:
        """Nothing where this machine doesn't hold the sealed half."""
        return expected_answers(self.catalog, self.runs.report(run))
