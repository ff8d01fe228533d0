"""The one way a run changes its state: compare and swap, against the transition table."""

from collections.abc import Iterable

from sqlalchemy import ColumnElement, TextClause, text, update
from sqlalchemy.orm import Session

from models.errors import FarmError
from models.schemas.run import ENDS, LEASED, QUEUED, TRANSITIONS, RunState
from models.tables.runs import RunRow


class IllegalTransition(FarmError):
    """The farm's own code asked for a change that no run may make."""


def in_states(states: Iterable[RunState]) -> TextClause:
    """`runs.state IN (…)` with the states written out: only then do partial indexes apply."""
    return text(f"runs.state IN ({', '.join(repr(str(state)) for state in states)})")


def change_state(
    session: Session,
    sources: tuple[RunState, ...],
    target: RunState,
    *where: ColumnElement[bool] | TextClause,
    **values: object,
) -> list[int]:
    """Move the runs that match `where` and are in one of `sources` to `target`.

    Sets `values` besides; clears the slot and the lease of the state that is left. Returns the
    ids of the runs that moved. Raises IllegalTransition when TRANSITIONS lacks the change, or
    when a column that the target state needs is not given.
    """
    _check(sources, target, values)
    settings: dict[str, object] = {"queued_until": None, "lease_until": None, "worker": None}
    statement = (
        update(RunRow)
        .where(in_states(sources), *where)
        .values(**{**settings, **values, "state": target})
        .returning(RunRow.id)
        .execution_options(synchronize_session=False)
    )
    return list(session.execute(statement).scalars())


def _check(sources: tuple[RunState, ...], target: RunState, values: dict[str, object]) -> None:
    for source in sources:
        if target not in TRANSITIONS[source]:
            raise IllegalTransition(f"a run can't go from {source} to {target}.")
    needed: set[str] = set()
    if target in QUEUED.values():
        needed = {"queued_until"}
    elif target in LEASED.values():
        needed = {"lease_until", "worker"}
    elif target in ENDS:
        needed = {"ended_at"}
    if missing := needed - values.keys():
        raise IllegalTransition(f"{target} needs {', '.join(sorted(missing))}.")
