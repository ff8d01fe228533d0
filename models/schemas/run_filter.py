"""Which runs are asked for."""

from dataclasses import dataclass

from models.schemas.run import RunState
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
