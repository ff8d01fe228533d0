"""The one way a run changes its state: compare and swap, against the transition table."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Row,
    TextClause,
    bindparam,
    literal_column,
    select,
    text,
    update,
)
from sqlalchemy.orm import InstrumentedAttribute, Session
from sqlalchemy.types import TypeEngine

from models.errors import FarmError
from models.schemas.run import ENDS, LEASED, QUEUED, TRANSITIONS, RunState
from models.tables.runs import RunRow

NEW = "new_"


class IllegalTransition(FarmError):
    """The farm's own code asked for a change that no run may make."""


def in_states(states: Iterable[RunState]) -> TextClause:
    """`runs.state IN (…)` with the states written out: only then do partial indexes apply."""
    return text(f"runs.state IN ({', '.join(repr(str(state)) for state in states)})")


def any_run(
    *where: ColumnElement[bool] | TextClause, first_by: InstrumentedAttribute[Any]
) -> ColumnElement[bool]:
    """Whether there is a run that matches.

    Not EXISTS, and in the order of an index: PostgreSQL would join with all runs, or read them
    all, where one look into the index will do. `first_by` is the index's next column.
    """
    first = select(RunRow.id).where(*where).order_by(first_by).limit(1)
    return first.scalar_subquery().is_not(None)


def told_of_run(query: str, kind: type[TypeEngine[Any]]) -> ColumnElement[Any]:
    """One value that other tables hold of a run that changes; None where `query` finds nothing.

    As text: SQLAlchemy names no tables where SQLite returns what it changed.
    """
    return literal_column(f"({query})", kind)


class Transition:
    """One change that runs make, prepared as one statement. Define it once, at module level:
    building a statement costs ten times as much as running it.

    The runs that are in one of `sources` and match `where` (whose parameters are named by its
    `bindparam`s) go to `target`. The columns `sets` get the parameters `new_<column>`, the
    `computed` ones an expression; the slot and the lease of the state that is left are cleared.
    `tells` is what else is to be known of the runs that moved.

    Raises IllegalTransition, when defined, for a change that TRANSITIONS lacks and for a target
    whose columns are not all set.
    """

    def __init__(
        self,
        sources: tuple[RunState, ...],
        target: RunState,
        where: Sequence[ColumnElement[bool] | TextClause],
        *,
        sets: tuple[str, ...] = (),
        computed: Mapping[str, object] | None = None,
        tells: Mapping[str, ColumnElement[Any]] | None = None,
    ) -> None:
        _check(sources, target, sets)
        values: dict[str, object] = {}
        values |= dict.fromkeys(("queued_at", "queued_until", "lease_until", "worker"))
        values |= {name: bindparam(NEW + name) for name in sets}
        values |= computed or {}
        self._statement = (
            update(RunRow)
            .where(in_states(sources), *where)
            .values(**{**values, "state": target})
            .returning(
                RunRow.id,
                RunRow.token,
                RunRow.cell_pk,
                RunRow.campaign_pk,
                *(answer.label(name) for name, answer in (tells or {}).items()),
            )
        )

    def apply(self, session: Session, **parameters: object) -> "list[Row[*tuple[Any, ...]]]":
        """Make the change; returns (id, token, cell_pk, campaign_pk, …) of the runs that moved."""
        moved: list[Row[*tuple[Any, ...]]] = []
        moved += session.connection().execute(self._statement, parameters)
        return moved


def _check(sources: tuple[RunState, ...], target: RunState, sets: tuple[str, ...]) -> None:
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
    if missing := needed - set(sets):
        raise IllegalTransition(f"{target} needs {', '.join(sorted(missing))}.")
