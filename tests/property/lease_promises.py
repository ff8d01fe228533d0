"""What a farm promises whatever happens to it, held against its rows after every step."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from hypothesis.stateful import RuleBasedStateMachine, invariant
from sqlalchemy import bindparam, select

from models.clock import FixedClock
from models.schemas.budget import Resource, Spend
from models.schemas.campaign import CampaignState
from models.schemas.campaign_progress import CampaignProgress
from models.schemas.run import ENDS, LEASED, RunOrder, RunState, Stage
from models.storage.campaigns import campaign_progress
from models.storage.dispatching import Candidate
from models.storage.results import cell_counts
from models.storage.tallies import CANCELLED, void_ending
from models.storage.transaction import Database, open_database
from models.tables.all_tables import METADATA
from models.tables.attempt_tallies import AttemptTallyRow
from models.tables.attempts import AttemptRow
from models.tables.budgets import CampaignBudgetRow, ReservationRow
from models.tables.campaigns import CampaignRow
from models.tables.cells import CellTallyRow
from models.tables.check_reports import CheckReportRow
from models.tables.runs import RunRow
from models.verdicts import AttemptEnding, Verdict, VoidCategory
from tests.fakes.campaigns import (
    NOW,
    TERMS,
)
from tests.property.model_broker import ModelBroker

REPEATS = 2
RUNS = 2 * REPEATS
SYSTEM_OF = {run_id: (run_id - 1) % 2 for run_id in range(1, RUNS + 1)}
MOST_AT_ONCE = 1
"""Of the first system, beside which the second may do as much as it likes."""
PER_MINUTE = 1
"""Starts of the second system."""
CAP, ENOUGH = 100, 100_000
"""Millionths of a dollar: what one run may use, and what pays for everything."""
SLOT_S = 60.0
LEASES = TERMS.model_copy(update={"queue_slot_s": SLOT_S})
EPOCH = "epoch"
AT_AGENT = RunState.AGENT_LEASED
RUNS_NOW = select(
    RunRow.id,
    RunRow.state,
    RunRow.token,
    RunRow.agent_tries,
    RunRow.grade_tries,
    RunRow.cell_pk,
    RunRow.void_category,
)
ATTEMPTS_NOW = select(
    AttemptRow.run_id,
    AttemptRow.token,
    AttemptRow.stage,
    AttemptRow.ending,
    AttemptRow.category,
    AttemptRow.cost_microusd,
)
SPOILED_NOW = select(AttemptTallyRow.ending, AttemptTallyRow.category, AttemptTallyRow.attempts)
CELLS_NOW = select(CellTallyRow.cell_pk, CellTallyRow.ending, CellTallyRow.runs)
RESERVED_NOW = select(ReservationRow.run_id, ReservationRow.token, ReservationRow.amount)
REPORTS_NOW = select(CheckReportRow.run_id, CheckReportRow.verdict)
ONE_RUN = select(RunRow.state, RunRow.token).where(RunRow.id == bindparam("asked"))
STATES_NOW = select(CampaignRow.state)
SPENT_NOW = select(CampaignBudgetRow.spent, CampaignBudgetRow.reserved, CampaignBudgetRow.total)
ALL_FACTS = (
    RUNS_NOW,
    ATTEMPTS_NOW,
    RESERVED_NOW,
    REPORTS_NOW,
    SPOILED_NOW,
    CELLS_NOW,
    STATES_NOW,
    SPENT_NOW,
)
Runs = Mapping[int, tuple[RunState, int]]
"""State and token of every run."""


@cache
def in_memory() -> Database:
    """A database of this process."""
    database = open_database("sqlite://")
    METADATA.create_all(database.engine)
    return database


class LeasePromises(RuleBasedStateMachine):
    """One campaign of two systems with limits and a budget; what was done with it, as those who
    did it noted."""

    def __init__(self) -> None:
        super().__init__()
        self.database: Database = self.opened()
        self.campaign_id = ""
        self.clock = FixedClock(NOW)
        self.broker = ModelBroker()
        self.broker.plant(EPOCH)
        self.max_attempts = 0
        self.used: dict[tuple[int, int], int | None] = {}
        self.spoiled: set[tuple[int, int, Stage, AttemptEnding, VoidCategory]] = set()
        self.fenced: set[tuple[int, int]] = set()
        self.facts: list[Sequence[Any]] = []
        """As they were when all promises were looked at last."""
        self.verdicts: dict[int, Verdict] = {}
        self.frozen: set[int] = set()
        self.written: list[RunOrder] = []
        self.voided: list[RunOrder] = []
        self.agent_claims_after_freeze: list[int] = []
        self.starts: defaultdict[int, list[float]] = defaultdict(list)
        self.chosen_before: dict[Stage, list[Candidate]] = {}

    def opened(self) -> Database:
        """An empty database; the same for every example: statements are costly to prepare."""
        database = in_memory()
        with database.engine.begin() as connection:
            for table in reversed(METADATA.sorted_tables):
                connection.execute(table.delete())
        return database

    @invariant()
    def the_farm_keeps_its_promises(self) -> None:
        self.note_what_is_spoiled()
        with self.database.read() as session:
            facts = [session.connection().execute(asked).all() for asked in ALL_FACTS]
            if facts == self.facts:
                return
            progress = campaign_progress(session, self.campaign_id)
            counts = cell_counts(session, [self.campaign_id])
        self.facts = facts
        rows, attempts, reserved_now, reports, spoiled_now, cells_now, _, _ = facts
        reserved = [tuple(row) for row in reserved_now]
        stored = {row[0]: row[1] for row in reports}
        tallied = {(row[0], row[1]): row[2] for row in spoiled_now}
        cells = {(row[0], row[1]): row[2] for row in cells_now}
        runs = {row[0]: (row[1], row[2]) for row in rows}
        self.every_result_counts_once_and_stays(stored, progress)
        self.no_run_is_lost(runs, progress)
        assert sum(one.planned for one in counts) == RUNS - progress.cancelled
        self.at_most_one_attempt_runs(runs, attempts)
        self.every_spoiled_try_is_counted(rows, tallied)
        assert cells == self.endings(rows), "tallies of cells are not what became of their runs"
        self.starts_keep_their_pace()
        self.every_cent_is_accounted_for(runs, reserved, attempts, progress.spend[Resource.COST])
        assert not self.agent_claims_after_freeze, "the agent stage was repeated after the freeze"
        if self.state() is CampaignState.CANCELLED:
            assert progress.ended == RUNS, "runs of a cancelled campaign go on"

    def note_what_is_spoiled(self) -> None:
        """One that is fenced later was lost all the same."""
        with self.database.read() as session:
            for run_id, token, stage, ending, category, _ in session.connection().execute(
                ATTEMPTS_NOW
            ):
                if ending in (AttemptEnding.VOID, AttemptEnding.LOST):
                    self.spoiled.add((run_id, token, stage, ending, category))

    def endings(self, rows: Sequence[Any]) -> dict[tuple[int, str], int]:
        """What the tallies of cells have to be."""
        found: Counter[tuple[int, str]] = Counter()
        for run in rows:
            if run.state is RunState.GRADED:
                found[run.cell_pk, self.verdicts[run.id].value] += 1
            elif run.state is RunState.VOID:
                found[run.cell_pk, void_ending(run.void_category)] += 1
            elif run.state is RunState.CANCELLED:
                found[run.cell_pk, CANCELLED] += 1
        return dict(found)

    def every_spoiled_try_is_counted(
        self, rows: Sequence[Any], tallied: Mapping[tuple[AttemptEnding, VoidCategory], int]
    ) -> None:
        """Once; after the last one that a stage has its run is void. Refusals are counted too."""
        tries = Counter((run_id, stage) for run_id, _, stage, _, _ in self.spoiled)
        for run in rows:
            counted = (run.agent_tries, run.grade_tries)
            assert counted == (tries[run.id, Stage.AGENT], tries[run.id, Stage.GRADE])
            assert max(counted) <= self.max_attempts, "a stage was tried too often"
            if max(counted) == self.max_attempts:
                assert run.state is RunState.VOID, "a run goes on after its last try"
        expected = Counter((ending, category) for *_, ending, category in self.spoiled)
        if self.fenced:
            expected[AttemptEnding.FENCED, VoidCategory.LEASE_EXPIRED] = len(self.fenced)
        assert tallied == expected

    def every_result_counts_once_and_stays(
        self, stored: dict[int, Verdict], progress: CampaignProgress
    ) -> None:
        assert stored == self.verdicts
        counted = Counter(self.verdicts.values())
        passed, failed = counted[Verdict.PASSED], counted[Verdict.FAILED]
        assert (progress.passed, progress.failed) == (passed, failed)

    def no_run_is_lost(self, runs: Runs, progress: CampaignProgress) -> None:
        states = Counter(state for state, _ in runs.values())
        assert len(runs) == RUNS
        moving = progress.agent_queued + progress.agent_leased + progress.frozen
        moving += progress.grade_queued + progress.grade_leased
        assert progress.waiting == states[RunState.PLANNED]
        assert progress.ended == sum(states[end] for end in ENDS)
        assert progress.waiting + moving + progress.ended == RUNS

    def at_most_one_attempt_runs(self, runs: Runs, attempts: Sequence[Any]) -> None:
        running = Counter(a.run_id for a in attempts if a.ending is AttemptEnding.RUNNING)
        for run_id, (state, _) in runs.items():
            assert running[run_id] == (state in LEASED.values())

    def no_system_does_more_than_it_may(self, begun: int) -> None:
        """The limit is that of now; what began under a higher one goes on."""
        ours = [run_id for run_id in SYSTEM_OF if SYSTEM_OF[run_id] == 0]
        at_work = sum(self.row(run_id)[0] == AT_AGENT for run_id in ours)
        assert begun not in ours or at_work <= MOST_AT_ONCE, "too many at once"

    def starts_keep_their_pace(self) -> None:
        starts = self.starts[1]
        for at in starts:
            assert sum(at <= other < at + 60 for other in starts) <= PER_MINUTE

    def every_cent_is_accounted_for(
        self,
        runs: Runs,
        reserved: Sequence[tuple[object, ...]],
        attempts: Sequence[Any],
        spend: Spend,
    ) -> None:
        """Reserved by runs that an agent works on, and by no others; charged what was used, or the
        whole cap where nobody knows; and beyond the budget only what went beyond a cap."""
        held = [
            (run_id, token, CAP) for run_id, (state, token) in runs.items() if state == AT_AGENT
        ]
        assert sorted(reserved) == sorted(held)
        assert spend.reserved == len(held) * CAP
        charged = 0
        beyond = 0
        for each in attempts:
            if each.stage is Stage.AGENT and each.ending is not AttemptEnding.RUNNING:
                used = self.used.get((each.run_id, each.token))
                assert each.cost_microusd == (CAP if used is None else used)
                charged += each.cost_microusd
                beyond += max(0, each.cost_microusd - CAP)
        assert spend.spent == charged, "what is spent is not what attempts were charged"
        assert spend.total is not None
        assert spend.spent + spend.reserved <= spend.total + beyond

    def row(self, run_id: int) -> tuple[RunState | None, int]:
        with self.database.read() as session:
            found = session.connection().execute(ONE_RUN, {"asked": run_id}).one_or_none()
        return (found[0], found[1]) if found else (None, 0)

    def ending(self, order: RunOrder) -> AttemptEnding | None:
        """Of the attempt that the order was for; of one that is stale there is none."""
        ours = (AttemptRow.run_id == order.run_id, AttemptRow.token == order.token)
        with self.database.read() as session:
            return session.execute(select(AttemptRow.ending).where(*ours)).scalar_one_or_none()

    def state(self) -> CampaignState:
        with self.database.read() as session:
            return session.connection().execute(STATES_NOW).scalar_one()
