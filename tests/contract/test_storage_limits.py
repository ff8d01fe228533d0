"""Limits of systems and budgets of campaigns, on both databases."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import select, text

from models.clock import FixedClock
from models.errors import Refused
from models.schemas.attempt import StageVoid
from models.schemas.budget import Budget, Resource, Spend, Used
from models.schemas.campaign import CampaignSpec, CampaignState
from models.schemas.run import RunOrder, RunState, Stage
from models.schemas.run_filter import RunFilter
from models.schemas.system_limit import SystemLimits
from models.storage.campaigns import campaign_progress, find_campaign
from models.storage.interruptions import interrupt_campaign
from models.storage.leases import claim, expire, finish_agent, give_back, void_attempt
from models.storage.runs import attempts_of, list_runs
from models.storage.system_limits import set_limits
from models.storage.system_loads import system_loads
from models.storage.transaction import Database
from models.tables.budgets import ReservationRow
from models.verdicts import VoidCategory
from scheduler.campaign_budget import pause_used_up, set_budget
from scheduler.campaign_lifecycle import cancel_campaign, resume_campaign
from scheduler.dispatch import top_up
from tests.fakes.campaigns import NOW, TERMS, agent_result, campaign_spec, write_campaign

THREADS = 16


def limit(database: Database, spec: CampaignSpec, **limits: int) -> None:
    """Limit the first system of a campaign."""
    with database.transaction() as session:
        wanted = SystemLimits.model_validate(limits)
        set_limits(session, {str(spec.systems[0].id): wanted}, "test")


def runs_of(database: Database, system: str | None = None) -> list[int]:
    with database.read() as session:
        return [run.id for run in list_runs(session, RunFilter(system=system), limit=1_000)]


def claimed(database: Database, run_id: int, now: float = NOW) -> RunOrder | None:
    with database.transaction() as session:
        return claim(session, run_id, Stage.AGENT, "worker", now, TERMS)


def held(database: Database, run_id: int, now: float = NOW) -> RunOrder:
    order = claimed(database, run_id, now)
    assert order is not None
    return order


def spend(database: Database, campaign_id: str) -> dict[Resource, Spend]:
    with database.read() as session:
        return campaign_progress(session, campaign_id).spend


def amounts(database: Database, campaign_id: str) -> dict[str, tuple[int, int]]:
    """(spent, reserved) by resource."""
    return {
        name.value: (one.spent, one.reserved) for name, one in spend(database, campaign_id).items()
    }


def budgeted(agent: str = "command", **budget: object) -> CampaignSpec:
    """Two systems whose agents use a language model, at most 1 USD, 100 tokens, 60 s each run."""
    settings = {"argv": ["x"]} if agent == "command" else {"actions": ["x"]}
    systems = [
        {"name": f"system-{n}", "agent": agent, "settings": {**settings, "env": {"N": str(n)}}}
        for n in range(2)
    ]
    if agent != "command":
        systems = [{"name": "system-0", "agent": agent, "settings": settings}]
    limits = {"agent_cost_usd": 1, "agent_tokens": 100, "agent_wall_s": 60}
    return campaign_spec(repeats=4, systems=systems, limits=limits, budget=budget)


def test_sixteen_claimers_at_once_never_start_a_fourth_run(database: Database) -> None:
    """Real connections: no moment has more runs at work than the limit, and all get done."""
    spec = campaign_spec(systems=1, repeats=32)
    write_campaign(database, spec)
    limit(database, spec, max_concurrent=3)
    waiting = runs_of(database)
    at_work, most, done = 0, 0, 0
    guard = threading.Lock()

    def work(share: list[int]) -> None:
        nonlocal at_work, most, done
        while share:
            order = claimed(database, share[0])
            if order is None:
                time.sleep(0.01)
                continue
            with guard:
                at_work += 1
                most = max(most, at_work)
            time.sleep(0.005)
            # Before the commit that ends it: from then on another may rightly start.
            with guard:
                at_work -= 1
            with database.transaction() as session:
                finish_agent(session, order, agent_result(), NOW)
            with guard:
                done += 1
            share.pop(0)

    with ThreadPoolExecutor(THREADS) as pool:
        for part in [pool.submit(work, waiting[n::THREADS]) for n in range(THREADS)]:
            part.result(120)
    assert (most <= 3, done) == (True, 32)


def test_a_run_beyond_the_limit_waits_again_and_nothing_else_does(database: Database) -> None:
    spec = campaign_spec(systems=2, repeats=3)
    write_campaign(database, spec)
    limit(database, spec, max_concurrent=1)
    first, second, third = runs_of(database, "system-0")
    order = held(database, first)
    assert claimed(database, second) is None
    assert claimed(database, runs_of(database, "system-1")[0]) is not None
    with database.read() as session:
        [again] = [run for run in list_runs(session, RunFilter()) if run.id == second]
        assert (again.state, attempts_of(session, second)) == (RunState.PLANNED, [])
    with database.transaction() as session:
        finish_agent(session, order, agent_result(), NOW)
    assert claimed(database, third) is not None
    limit(database, spec, max_concurrent=2)
    assert claimed(database, second) is not None


def test_the_dispatcher_queues_of_a_limited_system_what_there_is_room_for(
    database: Database,
) -> None:
    spec = campaign_spec(systems=2, repeats=6)
    campaign_id = write_campaign(database, spec)
    limit(database, spec, max_concurrent=2)
    held(database, runs_of(database, "system-0")[0])
    assert top_up(database, NOW, window=16, slot_s=120) == 7
    assert top_up(database, NOW, window=16, slot_s=120) == 0
    with database.read() as session:
        queued = list_runs(session, RunFilter(campaign_id, state=RunState.AGENT_QUEUED))
        [load] = [one for one in system_loads(session, NOW) if one.names == ("system-0",)]
    assert sum(run.system == "system-0" for run in queued) == 1
    assert (load.running, load.queued, load.starts_last_minute) == (1, 1, 1)
    assert load.limits == SystemLimits(max_concurrent=2)


@pytest.mark.parametrize("per_minute", [1, 6, 60, 90])
def test_no_sixty_seconds_hold_more_starts_than_the_limit(
    sqlite: Database, per_minute: int
) -> None:
    """As many as possible, asked for ten times a second for three minutes, by whoever."""
    spec = campaign_spec(systems=1, repeats=300)
    write_campaign(sqlite, spec)
    limit(sqlite, spec, starts_per_minute=per_minute)
    waiting = runs_of(sqlite)
    starts: list[float] = []
    now = NOW
    while now < NOW + 183:
        order = claimed(sqlite, waiting[0], now)
        if order is None:
            now += 0.1 if per_minute > 6 else 1.0
            continue
        waiting.pop(0)
        starts.append(now)
    assert all(sum(at <= other < at + 60 for other in starts) <= per_minute for at in starts)
    assert len(starts) >= 3 * per_minute


def test_a_limit_of_before_a_step_back_of_the_clock_holds_nothing_up(sqlite: Database) -> None:
    spec = campaign_spec(systems=1, repeats=3)
    write_campaign(sqlite, spec)
    limit(sqlite, spec, starts_per_minute=1)
    first, second, third = runs_of(sqlite)
    held(sqlite, first)
    assert claimed(sqlite, second, NOW + 30) is None
    held(sqlite, second, NOW - 3_600)
    assert claimed(sqlite, third, NOW - 3_600 + 30) is None


def test_the_later_campaign_sets_the_limits_and_an_older_one_keeps_what_it_does_not_name(
    database: Database,
) -> None:
    first = campaign_spec(systems=1)
    systems = [{**first.systems[0].model_dump(), "max_concurrent": 2, "starts_per_minute": 5}]
    write_campaign(database, campaign_spec(systems=systems))
    systems = [{**first.systems[0].model_dump(), "max_concurrent": 7}]
    later = write_campaign(database, campaign_spec(systems=systems))
    write_campaign(database, first)
    with database.read() as session:
        [load] = system_loads(session, NOW)
    assert load.limits == SystemLimits(max_concurrent=7, starts_per_minute=5)
    assert load.set_by == later


def test_a_run_reserves_its_cap_and_is_charged_what_it_used(database: Database) -> None:
    campaign_id = write_campaign(database, budgeted(cost_usd="2.5", tokens=1_000, wall_s=300))
    order = held(database, runs_of(database)[0])
    assert amounts(database, campaign_id) == {
        "cost": (0, 1_000_000),
        "tokens": (0, 100),
        "wall": (0, 60_000),
    }
    result = agent_result().model_copy(update={"cost_microusd": 123_457, "tokens": 77})
    with database.transaction() as session:
        finish_agent(session, order, result, NOW)
    assert amounts(database, campaign_id) == {
        "cost": (123_457, 0),
        "tokens": (77, 0),
        "wall": (1_500, 0),
    }
    with database.read() as session:
        [attempt] = attempts_of(session, order.run_id)
    assert (attempt.cost_microusd, attempt.tokens) == (123_457, 77)


def test_no_run_starts_beyond_the_budget_and_the_campaign_then_pauses(database: Database) -> None:
    campaign_id = write_campaign(database, budgeted(cost_usd=2))
    runs = runs_of(database)
    orders = [held(database, run_id) for run_id in runs[:2]]
    assert claimed(database, runs[2]) is None
    assert top_up(database, NOW + 60, window=16, slot_s=120) == 0
    assert pause_used_up(database) == 0
    for order in orders:  # what an unmetered agent used is not known: all that it reserved
        result = agent_result().model_copy(update={"cost_microusd": None, "tokens": None})
        with database.transaction() as session:
            finish_agent(session, order, result, NOW)
    assert spend(database, campaign_id)[Resource.COST].spent == 2_000_000
    assert pause_used_up(database) == 0
    for order in orders:
        void_grading(database, order.run_id)
    assert pause_used_up(database) == 1
    with database.read() as session:
        campaign = find_campaign(session, campaign_id)
    assert campaign.state is CampaignState.PAUSED
    assert "2 USD of 2 USD, and one run may use 1 USD" in campaign.problem
    assert f"gradefarm campaign budget {campaign_id} --cost-usd" in campaign.problem
    with pytest.raises(Refused, match="used up"):
        resume_campaign(database, campaign_id, FixedClock(NOW))
    with pytest.raises(Refused, match="already"):
        set_budget(database, campaign_id, Budget.model_validate({"cost_usd": 1.5}))
    with pytest.raises(Refused, match=r"would start no run") as refused:
        set_budget(database, campaign_id, Budget.model_validate({"cost_usd": "2.999999"}))
    assert "--cost-usd at least 3 USD" in refused.value.remedy
    set_budget(database, campaign_id, Budget.model_validate({"cost_usd": "3"}))
    resume_campaign(database, campaign_id, FixedClock(NOW))
    assert top_up(database, NOW + 60, window=16, slot_s=120) == 1


def test_systems_that_cost_nothing_go_on_when_the_money_is_used_up(database: Database) -> None:
    limits = {"agent_cost_usd": 1, "agent_wall_s": 60}
    systems = [
        {"name": "paid", "agent": "command", "settings": {"argv": ["true"]}},
        {"name": "free", "agent": "scripted", "settings": {"actions": ["true"]}},
    ]
    budget = {"cost_usd": 1, "wall_s": 300}
    spec = campaign_spec(repeats=4, systems=systems, limits=limits, budget=budget)
    campaign_id = write_campaign(database, spec)
    order = held(database, runs_of(database, "paid")[0])
    # The money ends with more used than was reserved.
    end_run(database, order, cost_microusd=1_500_000)
    assert top_up(database, NOW + 60, window=16, slot_s=120) == 4
    for run_id in runs_of(database, "free"):
        assert pause_used_up(database) == 0
        end_run(database, held(database, run_id))
    assert pause_used_up(database) == 1
    with database.read() as session:
        assert "1.5 USD of 1 USD" in find_campaign(session, campaign_id).problem


def end_run(database: Database, order: RunOrder, **result: object) -> None:
    """Finish the agent stage with that result, and the run."""
    with database.transaction() as session:
        finish_agent(session, order, agent_result().model_copy(update=result), NOW)
    void_grading(database, order.run_id)


def test_systems_that_cost_nothing_are_held_by_the_time_that_they_use(database: Database) -> None:
    limits = {"agent_wall_s": 60}
    spec = campaign_spec(repeats=4, systems=1, limits=limits, budget={"wall_s": 119})
    write_campaign(database, spec)
    first, second, *_ = runs_of(database)
    order = held(database, first)
    assert claimed(database, second) is None
    wall = agent_result().resources.model_copy(update={"wall_s": 60.0})
    end_run(database, order, resources=wall)
    assert top_up(database, NOW + 60, window=16, slot_s=120) == 0
    assert pause_used_up(database) == 1


def void_grading(database: Database, run_id: int) -> None:
    """End a frozen run: the farm fails to grade it until it gives up."""
    void = StageVoid(category=VoidCategory.GRADER, detail="no")
    for _ in range(3):
        with database.transaction() as session:
            order = claim(session, run_id, Stage.GRADE, "worker", NOW, TERMS)
            assert order
            void_attempt(session, order, void, NOW)


@pytest.mark.parametrize(
    ("way", "cost", "wall_ms"),
    [
        ("lost", 1_000_000, 60_000),
        ("void, unknown", 1_000_000, 5_000),
        ("void, known", 250_000, 4_000),
        ("given back", 1_000_000, 5_000),
        ("interrupted", 1_000_000, 5_000),
        ("cancelled", 1_000_000, 5_000),
    ],
)
def test_what_nobody_knows_is_charged_at_its_reservation(
    database: Database, way: str, cost: int, wall_ms: int
) -> None:
    campaign_id = write_campaign(database, budgeted(cost_usd=20, wall_s=1_000))
    order = held(database, runs_of(database)[0])
    later = NOW + 5
    if way == "cancelled":
        cancel_campaign(database, campaign_id, FixedClock(later))
    else:
        with database.transaction() as session:
            if way == "lost":
                assert expire(session, NOW + 61, 5) == [order.run_id]
            elif way == "given back":
                assert give_back(session, order, "told to end", later)
            elif way == "interrupted":
                assert interrupt_campaign(session, campaign_id, later) == 1
            else:
                used = Used(cost_microusd=250_000, wall_ms=4_000) if way[6:] == "known" else Used()
                void = StageVoid(category=VoidCategory.GATEWAY, detail="no", used=used)
                void_attempt(session, order, void, later)
    told = spend(database, campaign_id)
    assert (told[Resource.COST].spent, told[Resource.WALL].spent) == (cost, wall_ms)
    assert (told[Resource.COST].reserved, told[Resource.WALL].reserved) == (0, 0)
    with database.read() as session:
        assert session.execute(select(ReservationRow)).first() is None
        assert attempts_of(session, order.run_id)[0].cost_microusd == cost


def test_a_scripted_system_reserves_time_alone(database: Database) -> None:
    campaign_id = write_campaign(database, budgeted("scripted", cost_usd=1, wall_s=60))
    order = held(database, runs_of(database)[0])
    assert spend(database, campaign_id)[Resource.COST].reserved == 0
    assert spend(database, campaign_id)[Resource.WALL].reserved == 60_000
    with database.transaction() as session:
        expire(session, NOW + 61, 5)
    assert spend(database, campaign_id)[Resource.COST].spent == 0
    with database.read() as session:
        assert attempts_of(session, order.run_id)[0].cost_microusd is None


def test_use_is_added_up_where_nothing_limits_it(database: Database) -> None:
    campaign_id = write_campaign(database, campaign_spec())
    order = held(database, runs_of(database)[0])
    assert spend(database, campaign_id) == {}
    result = agent_result().model_copy(update={"cost_microusd": 5, "tokens": 0})
    with database.transaction() as session:
        finish_agent(session, order, result, NOW)
    assert spend(database, campaign_id) == {Resource.COST: Spend(spent=5, reserved=0)}
    with pytest.raises(Refused, match="agent_tokens"):
        set_budget(database, campaign_id, Budget(tokens=5))


def test_what_a_scheduler_without_budgets_took_away_is_charged_at_the_next_start(
    database: Database,
) -> None:
    campaign_id = write_campaign(database, budgeted(cost_usd=10))
    (run_id, *_) = runs_of(database)
    held(database, run_id)
    with database.transaction() as session:
        session.execute(
            text(
                "UPDATE runs SET state = 'planned', lease_until = NULL, worker = NULL, "
                "agent_tries = 1 WHERE id = :run_id"
            ),
            {"run_id": run_id},
        )
    before = amounts(database, campaign_id)["cost"]
    assert held(database, run_id).token == 2
    assert amounts(database, campaign_id)["cost"] == (before[1], before[1])
