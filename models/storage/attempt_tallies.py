"""Counts the attempts that the farm spoiled, in the transaction that ends them."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import and_, bindparam, func, select
from sqlalchemy.orm import Session

from models.storage.upserts import Upsert
from models.tables.attempt_tallies import AttemptTallyRow
from models.tables.attempts import AttemptRow
from models.tables.campaigns import CampaignRow
from models.tables.runs import RunRow
from models.verdicts import AttemptEnding, VoidCategory

SPOILED = frozenset({AttemptEnding.VOID, AttemptEnding.LOST, AttemptEnding.FENCED})
"""Endings that are counted: what an operator wants to hear of."""

ADD = Upsert(
    AttemptTallyRow,
    lambda insert: insert.values(
        campaign_pk=select(RunRow.campaign_pk)
        .where(RunRow.id == bindparam("of_run"))
        .scalar_subquery(),
        ending=bindparam("as_ending", type_=AttemptTallyRow.ending.type),
        category=bindparam("for_category", type_=AttemptTallyRow.category.type),
        attempts=1,
        newest_run_id=bindparam("run"),
        newest_token=bindparam("under"),
        newest_at=bindparam("now"),
    ).on_conflict_do_update(
        index_elements=["campaign_pk", "ending", "category"],
        set_={
            "attempts": AttemptTallyRow.attempts + 1,
            "newest_run_id": insert.excluded.newest_run_id,
            "newest_token": insert.excluded.newest_token,
            "newest_at": insert.excluded.newest_at,
        },
    ),
)
OF_CAMPAIGNS = (
    select(
        AttemptTallyRow.category,
        AttemptTallyRow.attempts,
        AttemptTallyRow.newest_run_id,
        AttemptTallyRow.newest_at,
        AttemptRow.detail,
    )
    .join(CampaignRow, CampaignRow.pk == AttemptTallyRow.campaign_pk)
    .outerjoin(
        AttemptRow,
        and_(
            AttemptRow.run_id == AttemptTallyRow.newest_run_id,
            AttemptRow.token == AttemptTallyRow.newest_token,
        ),
    )
    .where(
        CampaignRow.id.in_(bindparam("ids", expanding=True)),
        AttemptTallyRow.ending != AttemptEnding.FENCED,
    )
    .order_by(AttemptTallyRow.newest_at)
)
OF_THE_FARM = select(
    AttemptTallyRow.ending, AttemptTallyRow.category, func.sum(AttemptTallyRow.attempts)
).group_by(AttemptTallyRow.ending, AttemptTallyRow.category)


@dataclass(frozen=True)
class SpoiledAttempts:
    """Attempts that ended void or lost for one reason; the newest of them."""

    category: VoidCategory
    attempts: int
    newest_run: int
    newest_at: float
    newest_detail: str


def count_spoiled(
    session: Session,
    run_id: int,
    token: int,
    ending: AttemptEnding,
    category: VoidCategory,
    now: float,
) -> None:
    """Count an attempt of `run_id` that ended as one of SPOILED."""
    ADD.run(
        session,
        of_run=run_id,
        run=run_id,
        under=token,
        as_ending=ending,
        for_category=category,
        now=now,
    )


def spoiled_attempts(session: Session, campaign_ids: Sequence[str]) -> list[SpoiledAttempts]:
    """What was spoiled in these campaigns, added up by reason."""
    by_category: dict[VoidCategory, SpoiledAttempts] = {}
    for category, attempts, run_id, at, detail in session.execute(
        OF_CAMPAIGNS, {"ids": list(campaign_ids)}
    ):
        before = by_category.get(category)
        total = attempts + (before.attempts if before else 0)
        by_category[category] = SpoiledAttempts(category, total, run_id, at, detail or "")
    return list(by_category.values())


def spoiled_of_farm(session: Session) -> dict[tuple[AttemptEnding, VoidCategory], int]:
    """How many attempts were ever spoiled on this farm, by ending and reason."""
    return {(row[0], row[1]): int(row[2]) for row in session.execute(OF_THE_FARM)}
