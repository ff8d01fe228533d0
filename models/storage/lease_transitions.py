"""Every change that a run makes into a lease, under one and out of one."""

from typing import Any

from sqlalchemy import ColumnElement, Integer, bindparam, cast, select

from models.schemas.run import LEASED, QUEUED, WAITING, RunState, Stage
from models.storage.budgets import in_budgeted_campaign
from models.storage.campaign_states import in_active_campaign
from models.storage.farm_protocol import speaks_ours
from models.storage.system_limits import of_limited_system
from models.storage.transitions import Transition
from models.tables.cells import CellRow
from models.tables.runs import RunRow

THIS_RUN = RunRow.id == bindparam("run_id")
THIS_LEASE = (THIS_RUN, RunRow.token == bindparam("held_token"))

BUDGETED = {"budgeted": in_budgeted_campaign()}
TELLS: dict[Stage, dict[str, ColumnElement[Any]]] = {Stage.AGENT: BUDGETED, Stage.GRADE: {}}
"""Only the agent stage is limited and budgeted, and for the most part neither."""
STARTS: dict[str, ColumnElement[Any]] = {
    **BUDGETED,
    "limited": of_limited_system(),
    "system_pk": cast(RunRow.system_pk, Integer),
}

CLAIM = {
    stage: Transition(
        (WAITING[stage], QUEUED[stage]),
        LEASED[stage],
        (THIS_RUN, in_active_campaign(), speaks_ours()),
        sets=("lease_until", "worker"),
        computed={"token": RunRow.token + 1},
        tells=STARTS if stage is Stage.AGENT else None,
    )
    for stage in Stage
}
NOT_YET = Transition((LEASED[Stage.AGENT],), WAITING[Stage.AGENT], THIS_LEASE, sets=("not_before",))
FREEZE = Transition(
    (LEASED[Stage.AGENT],),
    RunState.FROZEN,
    THIS_LEASE,
    sets=("snapshot", "stop_reason", "changed"),
    computed={
        "not_before": 0.0,
        "queue_pk": select(CellRow.grade_queue_pk)
        .where(CellRow.pk == RunRow.cell_pk)
        .scalar_subquery(),
    },
    tells=BUDGETED,
)
GRADE = Transition((LEASED[Stage.GRADE],), RunState.GRADED, THIS_LEASE, sets=("ended_at",))
GIVE_BACK = {
    stage: Transition((LEASED[stage],), WAITING[stage], THIS_LEASE, tells=tells)
    for stage, tells in TELLS.items()
}
RETRY = {
    stage: Transition(
        (LEASED[stage],),
        WAITING[stage],
        THIS_LEASE,
        sets=(f"{stage}_tries", "not_before"),
        tells=tells,
    )
    for stage, tells in TELLS.items()
}
GIVE_UP = {
    stage: Transition(
        (LEASED[stage],),
        RunState.VOID,
        THIS_LEASE,
        sets=(f"{stage}_tries", "void_category", "ended_at"),
        tells=tells,
    )
    for stage, tells in TELLS.items()
}
