"""Reads runs and their attempts."""

from dataclasses import dataclass

from sqlalchemy.orm import Session

from models.schemas.run import RunState
from models.schemas.run_view import AttemptView, RunView
from models.verdicts import Verdict


@dataclass(frozen=True)
class RunFilter:
    """Which runs to list; None means any. `system` is a system's name."""

    campaign_id: str | None = None
    state: RunState | None = None
    verdict: Verdict | None = None
    system: str | None = None
    task: str | None = None
    language: str | None = None


def list_runs(
    session: Session, wanted: RunFilter, *, limit: int = 100, after: int = 0
) -> list[RunView]:
    """Up to `limit` runs by cell, then repeat; `after` is the id of the last one seen."""
    raise NotImplementedError


def find_run(session: Session, run_id: int) -> RunView:
    """One run. Raises NotFound."""
    raise NotImplementedError


def attempts_of(session: Session, run_id: int) -> list[AttemptView]:
    """Every attempt of a run, oldest first."""
    raise NotImplementedError
