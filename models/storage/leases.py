"""The right to work on a run: given out, renewed, used up, given back, taken away.

Every function takes a writing session, so that a change and what it brings are one commit.
`now` is the time of `database_clock.shared_clock`.
"""

from collections.abc import Sequence
from enum import StrEnum

from sqlalchemy.orm import Session

from models.schemas.attempt import AgentResult, GradeResult, StageVoid
from models.schemas.lease import LeaseTerms
from models.schemas.run import RunOrder, Stage


class LeaseAnswer(StrEnum):
    """What became of a lease that a worker asked to renew.

    LOST and CANCELLED both mean: stop the sandbox and write nothing.
    """

    HELD = "held"
    LOST = "lost"
    CANCELLED = "cancelled"


def claim(
    session: Session, run_id: int, stage: Stage, worker: str, now: float, terms: LeaseTerms
) -> RunOrder | None:
    """Take the lease of one stage of a run for `terms.lease_s`, and open an attempt.

    None means that the stage isn't to be done (done, done by another, paused, cancelled,
    unknown): forget the message.
    """
    raise NotImplementedError


def renew(
    session: Session, held: Sequence[tuple[int, int]], now: float, terms: LeaseTerms
) -> dict[int, LeaseAnswer]:
    """Renew all leases of a worker process, given as (run id, token), in one statement."""
    raise NotImplementedError


def finish_agent(session: Session, order: RunOrder, result: AgentResult, now: float) -> None:
    """Close the agent stage: the run is frozen and waits to be graded.

    Raises LeaseLost when the lease is not held any more; the attempt is then kept as fenced
    and nothing else changes.
    """
    raise NotImplementedError


def finish_grade(session: Session, order: RunOrder, result: GradeResult, now: float) -> None:
    """Write the verdict, once. Raises LeaseLost like `finish_agent`."""
    raise NotImplementedError


def void_attempt(session: Session, order: RunOrder, void: StageVoid, now: float) -> None:
    """The farm could not do its part: try this stage again, or end the run as void.

    Raises LeaseLost like `finish_agent`.
    """
    raise NotImplementedError


def give_back(session: Session, order: RunOrder, detail: str, now: float) -> bool:
    """End the attempt as interrupted, without counting it; the run waits again.

    False when the lease was not held any more; never raises for that.
    """
    raise NotImplementedError


def expire(session: Session, now: float, limit: int) -> list[int]:
    """Take away up to `limit` leases that ended before `now`; their attempts are lost.

    Returns the ids of the runs.
    """
    raise NotImplementedError
