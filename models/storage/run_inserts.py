"""Inserts planned runs by the ten thousand, as fast as each database can take them."""

from collections.abc import Sequence

from sqlalchemy import Integer, bindparam, func, literal, select
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Session

from models.schemas.run import RunState
from models.tables.runs import RunRow

CONSTANTS: dict[str, object] = {
    "state": RunState.PLANNED,
    "token": 0,
    "agent_tries": 0,
    "grade_tries": 0,
    "not_before": 0.0,
}
ROW_BY_ROW = """
INSERT INTO runs (campaign_pk, cell_pk, repeat, queue_pk, system_pk,
                  state, token, agent_tries, grade_tries, not_before)
VALUES (?, ?, ?, ?, ?, 'planned', 0, 0, 0, 0.0)
ON CONFLICT DO NOTHING
"""
"""In the words of the driver: SQLAlchemy would spend as much on a row as the database does."""
INTEGERS = postgresql.ARRAY(Integer)
BY_COLUMNS = (
    postgresql.insert(RunRow)
    .from_select(
        ["campaign_pk", "cell_pk", "repeat", "queue_pk", "system_pk", *CONSTANTS],
        select(
            bindparam("of_campaign", type_=Integer),
            func.unnest(bindparam("cells", type_=INTEGERS)),
            func.unnest(bindparam("repeats", type_=INTEGERS)),
            func.unnest(bindparam("queues", type_=INTEGERS)),
            func.unnest(bindparam("systems", type_=INTEGERS)),
            *(literal(value) for value in CONSTANTS.values()),
        ),
    )
    .on_conflict_do_nothing()
)
"""A server is far away: one statement with five arrays costs less than a row at a time."""


def insert_planned(
    session: Session, campaign_pk: int, runs: Sequence[tuple[int, int, int, int]]
) -> None:
    """Insert runs given as (cell key, repeat, queue key, system key); those that exist are left
    alone."""
    connection = session.connection()
    if connection.dialect.name == "postgresql":
        columns = (list(column) for column in zip(*runs, strict=True))
        arrays = dict(zip(("cells", "repeats", "queues", "systems"), columns, strict=True))
        connection.execute(BY_COLUMNS, {"of_campaign": campaign_pk, **arrays})
        return
    connection.exec_driver_sql(ROW_BY_ROW, [(campaign_pk, *run) for run in runs])
