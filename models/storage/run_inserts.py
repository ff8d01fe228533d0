"""Inserts planned runs by the ten thousand, as fast as each database can take them."""

from collections.abc import Sequence

from sqlalchemy import Integer, bindparam, func, literal, select
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Session

from models.schemas.run import RunState
from models.storage.upserts import Upsert
from models.tables.runs import RunRow

CONSTANTS: dict[str, object] = {
    "state": RunState.PLANNED,
    "token": 0,
    "agent_tries": 0,
    "grade_tries": 0,
    "not_before": 0.0,
}
ROW_BY_ROW = Upsert(
    RunRow,
    lambda insert: insert.values(
        campaign_pk=bindparam("of_campaign"),
        cell_pk=bindparam("in_cell"),
        repeat=bindparam("at_repeat"),
        queue_pk=bindparam("in_queue"),
        **CONSTANTS,
    ).on_conflict_do_nothing(),
)
INTEGERS = postgresql.ARRAY(Integer)
BY_COLUMNS = (
    postgresql.insert(RunRow)
    .from_select(
        ["campaign_pk", "cell_pk", "repeat", "queue_pk", *CONSTANTS],
        select(
            bindparam("of_campaign", type_=Integer),
            func.unnest(bindparam("cells", type_=INTEGERS)),
            func.unnest(bindparam("repeats", type_=INTEGERS)),
            func.unnest(bindparam("queues", type_=INTEGERS)),
            *(literal(value) for value in CONSTANTS.values()),
        ),
    )
    .on_conflict_do_nothing()
)
"""A server is far away: one statement with four arrays costs less than a row at a time."""


def insert_planned(
    session: Session, campaign_pk: int, runs: Sequence[tuple[int, int, int]]
) -> None:
    """Insert runs given as (cell key, repeat, queue key); those that exist are left alone."""
    connection = session.connection()
    if connection.dialect.name == "postgresql":
        cells, repeats, queues = (list(column) for column in zip(*runs, strict=True))
        arrays = {"cells": cells, "repeats": repeats, "queues": queues}
        connection.execute(BY_COLUMNS, {"of_campaign": campaign_pk, **arrays})
        return
    ROW_BY_ROW.run_many(
        session,
        [
            {"of_campaign": campaign_pk, "in_cell": cell, "at_repeat": repeat, "in_queue": queue}
            for cell, repeat, queue in runs
        ],
    )
