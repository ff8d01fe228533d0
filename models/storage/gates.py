"""What was decided about verifiers."""

from sqlalchemy.orm import Session

from models.schemas.gate import GateRun, ParityDecision


def save_decision(session: Session, decision: ParityDecision, now: float) -> int:
    """Keep a decision beside all earlier ones; returns its id."""
    raise NotImplementedError


def find_decision(
    session: Session, task: str, language: str, universe: str
) -> ParityDecision | None:
    """The newest decision about a variant in exactly this universe."""
    raise NotImplementedError


def list_decisions(session: Session, *, limit: int = 500) -> list[ParityDecision]:
    """The newest decision of every (task, language, universe), newest first."""
    raise NotImplementedError


def collect_gate_runs(
    session: Session, campaign_id: str
) -> dict[tuple[str, str], tuple[GateRun, ...]]:
    """The ended runs of a gate campaign by (task, language), in the order of the plan.

    Cancelled runs are left out. Raises NotFound.
    """
    raise NotImplementedError
