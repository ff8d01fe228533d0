"""People who pause, resume and cancel campaigns in a storm, and look what comes of it."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeVar

from sqlalchemy import ScalarSelect, select
from sqlalchemy.orm import Session

from models.clock import SystemClock
from models.errors import Refused
from models.schemas.campaign import CampaignState
from models.schemas.run import ENDS, LEASED, RunState
from models.storage.campaigns import campaign_progress, find_campaign
from models.storage.transaction import Database
from models.tables.attempts import AttemptRow
from models.tables.campaigns import CampaignRow
from models.tables.runs import RunRow
from models.verdicts import AttemptEnding, VoidCategory
from scheduler.campaign_lifecycle import (
    cancel_campaign,
    interrupt_work,
    pause_campaign,
    resume_campaign,
)
from tests.chaos.faults import Blame, Strike
from tests.chaos.servers import wait_until
from tests.chaos.storm_farm import eventually

ORDERED: Blame = frozenset(
    {
        (AttemptEnding.INTERRUPTED, VoidCategory.OPERATOR),
        (AttemptEnding.FENCED, VoidCategory.LEASE_EXPIRED),
    }
)
"""What an order may do to runs at work: they end uncounted, and may want to write all the same."""
PATIENCE_S = 120.0
RESTS_S = 4.0
"""How long a campaign stays paused; within it, nothing may begin."""
CLOCKS_AGREE_S = 0.5
CANCELLED_WITHIN_S = 60.0
"""A claim that was under way is ended by the scheduler, and that may be hit just then."""
STOPPED_WITHIN_S = 120.0
"""As with cancelling; and a worker's slow database may hold a row for a while."""

T = TypeVar("T")


@dataclass
class Steering:
    """What was ordered, as strikes against runs, and every order that was not kept."""

    database: Database
    orders: list[Strike] = field(default_factory=list[Strike])
    unkept: list[str] = field(default_factory=list[str])

    def pause_twice(self, campaign: str) -> None:
        """Pause and resume while runs are at work, and again with what is at work taken back."""
        for at_once in (False, True):
            self._wait_for_work(campaign)
            self._until_it_is_done(lambda: pause_campaign(self.database, campaign), campaign)
            if at_once:
                self._take_back(campaign)
            since = time.time()
            time.sleep(RESTS_S)
            self._expect_rest(campaign, since, time.time())
            self._until_it_is_done(
                lambda: resume_campaign(self.database, campaign, SystemClock()), campaign
            )

    def cancel(self, campaign: str) -> None:
        """Cancel while runs are at work: all end soon, also one that was being claimed then."""
        self._wait_for_work(campaign)
        began = time.time()
        clock = SystemClock()
        self._until_it_is_done(lambda: cancel_campaign(self.database, campaign, clock), campaign)
        if not eventually(lambda: self._states(campaign) <= set(ENDS), CANCELLED_WITHIN_S):
            states = self._states(campaign)
            self.unkept.append(f"{campaign} is cancelled, and has runs that are {sorted(states)}")
        self._note("campaign cancelled", campaign, began)
        if CampaignState.CANCELLED is not self._state(campaign):
            self.unkept.append(f"{campaign} was cancelled, and is {self._state(campaign)}")

    def _take_back(self, campaign: str) -> None:
        began = time.time()
        clock = SystemClock()
        self._until_it_is_done(lambda: interrupt_work(self.database, campaign, clock), campaign)
        at_work = set(LEASED.values())
        if not eventually(lambda: not self._states(campaign) & at_work, STOPPED_WITHIN_S):
            states = self._states(campaign) & at_work
            self.unkept.append(f"{campaign} is paused at once, and has runs {sorted(states)}")
        self._note("paused at once", campaign, began)

    def _expect_rest(self, campaign: str, since: float, until: float) -> None:
        began = (
            select(AttemptRow.id)
            .join(RunRow, RunRow.id == AttemptRow.run_id)
            .where(RunRow.campaign_pk == _key(campaign))
            .where(AttemptRow.started_at > since + CLOCKS_AGREE_S, AttemptRow.started_at < until)
        )
        found = self._asked(lambda session: list(session.execute(began).scalars()))
        if found:
            self.unkept.append(f"{campaign} was paused, and attempts {found} began")

    def _wait_for_work(self, campaign: str) -> None:
        def at_work() -> bool:
            with suppress(Exception), self.database.read() as session:
                progress = campaign_progress(session, campaign)
                return progress.agent_leased > 0
            return False

        if not eventually(at_work, PATIENCE_S):
            self.unkept.append(f"{campaign} had nothing at work to give orders for")

    def _until_it_is_done(self, order: Callable[[], object], campaign: str) -> None:
        """Give the order again while the database is away; one that was heard is refused then."""

        def done() -> bool:
            try:
                order()
            except Refused:
                return True
            except Exception:
                return False
            return True

        if not eventually(done, PATIENCE_S):
            self.unkept.append(f"an order for {campaign} was not taken")

    def _note(self, kind: str, campaign: str, began: float) -> None:
        chosen = select(RunRow.id).where(RunRow.campaign_pk == _key(campaign))
        runs = self._asked(lambda session: tuple(session.execute(chosen).scalars()))
        self.orders.append(Strike(kind, campaign, began, ORDERED, ended=time.time(), runs=runs))

    def _states(self, campaign: str) -> set[RunState]:
        chosen = select(RunRow.state).where(RunRow.campaign_pk == _key(campaign)).distinct()
        return self._asked(lambda session: set(session.execute(chosen).scalars()))

    def _state(self, campaign: str) -> CampaignState:
        return self._asked(lambda session: find_campaign(session, campaign).state)

    def _asked(self, question: Callable[[Session], T]) -> T:
        """The answer, as soon as the database gives one."""
        answers: list[T] = []

        def answered() -> bool:
            with suppress(Exception), self.database.read() as session:
                answers.append(question(session))
            return bool(answers)

        wait_until(answered, "an answer of the database", PATIENCE_S)
        return answers[0]


def _key(campaign: str) -> ScalarSelect[int]:
    return select(CampaignRow.pk).where(CampaignRow.id == campaign).scalar_subquery()
