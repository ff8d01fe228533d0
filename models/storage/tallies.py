"""Counts how the runs of a cell ended, in the transaction that ends them."""

from collections import Counter

from sqlalchemy import bindparam
from sqlalchemy.orm import Session

from models.storage.upserts import Upsert
from models.tables.cells import CellTallyRow
from models.verdicts import Verdict, VoidCategory

CANCELLED = "cancelled"
UNDELIVERED = "undelivered"
VOID_PREFIX = "void."

ADD = Upsert(
    CellTallyRow,
    lambda insert: insert.values(
        cell_pk=bindparam("of_cell"), ending=bindparam("as_ending"), runs=bindparam("more")
    ).on_conflict_do_update(
        index_elements=["cell_pk", "ending"],
        set_={"runs": CellTallyRow.runs + insert.excluded.runs},
    ),
)


def graded_ending(verdict: Verdict, undelivered: bool) -> str:
    """The ending of a graded run: passed, failed, or undelivered."""
    return UNDELIVERED if undelivered and verdict is Verdict.FAILED else verdict.value


def void_ending(category: VoidCategory) -> str:
    """The ending of a void run: `void.<category>`."""
    return VOID_PREFIX + category.value


def tally(session: Session, endings: Counter[tuple[int, str]]) -> None:
    """Add the counts of (cell, ending). In one order always, so that no two wait in a ring."""
    for (cell_pk, ending), runs in sorted(endings.items()):
        ADD.run(session, of_cell=cell_pk, as_ending=ending, more=runs)
