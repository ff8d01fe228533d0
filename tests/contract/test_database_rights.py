"""What the passwords of workers open on PostgreSQL: their own stage, and nothing of results."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ProgrammingError

from models.clock import SystemClock
from models.errors import LeaseLost, NotFound, Refused
from models.records.log_leaves import open_leaf, void_leaf
from models.schemas.attempt import StageVoid
from models.schemas.budget import Resource
from models.schemas.model_replies import ModelReplies
from models.schemas.record_bodies import UniverseProof
from models.schemas.record_statement import RunResult
from models.schemas.run import RunOrder, RunState, Stage
from models.schemas.run_view import RecordState
from models.schemas.system_limit import SystemLimits
from models.schemas.worker import Duty, WorkerOrders, WorkerRecord
from models.storage.budgets import limit_resource
from models.storage.campaigns import campaign_row
from models.storage.granting import grant_rights, grant_statements
from models.storage.key_folder import KeyFolder
from models.storage.leases import (
    LeaseAnswer,
    claim,
    expire,
    finish_agent,
    finish_grade,
    give_back,
    is_held,
    renew,
    void_attempt,
)
from models.storage.role_rights import EVERY, RIGHTS, DatabaseRole
from models.storage.runs import RunFilter, attempts_of, find_run, list_runs
from models.storage.system_limits import set_limits
from models.storage.transaction import Database, open_database
from models.storage.transparency_log import begin_log, enter_leaf, leaves_between
from models.storage.workers import (
    ITSELF,
    beat_worker,
    list_workers,
    order_worker,
    register_worker,
    release_own_quarantine,
)
from models.tables.all_tables import METADATA
from models.verdicts import AttemptEnding, VoidCategory
from scheduler.farm_log import FarmLog
from tests.fakes.campaigns import (
    NOW,
    TERMS,
    agent_result,
    campaign_spec,
    grade_result,
    write_campaign,
)
from workers.run_recorder import RecordKeys, begin_record

ROLES = {DatabaseRole.AGENT: "gf test agent", DatabaseRole.GRADE: 'gf "grade'}


@dataclass
class Farm:
    """A farm as its owner, an agent worker and a grade worker see it."""

    owner: Database
    agent: Database
    grade: Database

    def runs(self, campaign: str) -> list[int]:
        with self.owner.read() as session:
            return [run.id for run in list_runs(session, RunFilter(campaign_id=campaign))]

    def claim(self, database: Database, run: int, stage: Stage, now: float = NOW) -> RunOrder:
        with database.transaction() as session:
            order = claim(session, run, stage, "worker", now, TERMS)
        assert order is not None
        return order

    def state(self, run: int) -> RunState:
        with self.owner.read() as session:
            return find_run(session, run).state


@pytest.fixture
def farm(postgresql: Database, postgresql_url: str) -> Iterator[Farm]:
    with postgresql.engine.begin() as connection:
        connection.execute(text("CREATE TABLE IF NOT EXISTS alembic_version (version_num text)"))
        for name in ROLES.values():
            if not _exists(connection, name):
                quoted = '"' + name.replace('"', '""') + '"'
                connection.execute(text(f"CREATE ROLE {quoted} LOGIN PASSWORD 'secret'"))
    for _ in range(2):
        grant_rights(postgresql, ROLES)
    workers = [
        open_database(
            make_url(postgresql_url)
            .set(username=name, password="secret")
            .render_as_string(hide_password=False)
        )
        for name in ROLES.values()
    ]
    yield Farm(postgresql, *workers)
    for worker in workers:
        worker.close()
    with postgresql.engine.begin() as connection:
        for table in METADATA.tables:
            connection.execute(text(f"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY"))
        quote = connection.dialect.identifier_preparer.quote
        connection.execute(text(f"DROP OWNED BY {', '.join(map(quote, ROLES.values()))}"))


def _exists(connection: Connection, name: str) -> bool:
    found = connection.execute(text("SELECT 1 FROM pg_roles WHERE rolname = :n"), {"n": name})
    return found.first() is not None


def _execute(database: Database, statement: str) -> None:
    with database.engine.begin() as connection:
        connection.exec_driver_sql(statement)


def refused(database: Database, *statements: str) -> None:
    """PostgreSQL refuses each of the statements to this password."""
    for statement in statements:
        with pytest.raises(ProgrammingError) as caught, database.transaction() as session:
            session.execute(text(statement))
        told = str(caught.value)
        assert any(word in told for word in ("permission denied", "security", "must be owner"))


def test_every_table_and_only_columns_that_are_there_are_spoken_of() -> None:
    for role in DatabaseRole:
        assert set(RIGHTS[role]) == set(METADATA.tables), "say in role_rights.py who may have it"
        for name, rights in RIGHTS[role].items():
            known = {*METADATA.tables[name].columns.keys(), *EVERY}
            assert {*rights.read, *rights.insert, *rights.change} <= known, name


def test_a_stage_needs_nothing_that_its_worker_is_not_given(farm: Farm) -> None:
    campaign = write_campaign(farm.owner, campaign_spec())
    run = farm.runs(campaign)[0]
    order = farm.claim(farm.agent, run, Stage.AGENT)
    with farm.agent.transaction() as session:
        held = [(order.run_id, order.token)]
        assert renew(session, held, NOW, TERMS) == {order.run_id: LeaseAnswer.HELD}
        assert is_held(session, order.run_id, order.token)
        told = {"replies": ModelReplies(fates={}, measured=True, noticed=True)}
        finish_agent(session, order, agent_result().model_copy(update=told), NOW)
    assert farm.state(run) is RunState.FROZEN
    order = farm.claim(farm.grade, run, Stage.GRADE)
    with farm.grade.transaction() as session:
        assert renew(session, [(run, order.token)], NOW, TERMS) == {run: LeaseAnswer.HELD}
        finish_grade(session, order, grade_result(order), NOW)
    assert farm.state(run) is RunState.GRADED
    with farm.owner.read() as session:
        endings = {attempt.ending for attempt in attempts_of(session, run)}
    assert endings == {AttemptEnding.OK}


@pytest.mark.parametrize("stage", list(Stage))
def test_a_stage_can_be_void_given_back_or_fenced(farm: Farm, stage: Stage) -> None:
    worker = farm.agent if stage is Stage.AGENT else farm.grade
    run, other = farm.runs(write_campaign(farm.owner, campaign_spec()))[:2]
    if stage is Stage.GRADE:
        for each in (run, other):
            order = farm.claim(farm.agent, each, Stage.AGENT)
            with farm.agent.transaction() as session:
                finish_agent(session, order, agent_result(), NOW)
    now = NOW
    while farm.state(run) is not RunState.VOID:
        now += 100
        order = farm.claim(worker, run, stage, now)
        void = StageVoid(category=VoidCategory.SANDBOX_SETUP, detail="no room")
        with worker.transaction() as session:
            void_attempt(session, order, void, now)
    order = farm.claim(worker, other, stage, now)
    with worker.transaction() as session:
        assert give_back(session, order, "told to end", now)
    order = farm.claim(worker, other, stage, now)
    with farm.owner.transaction() as session:
        assert expire(session, now + 10 * TERMS.lease_s, 9) == [other]
    with pytest.raises(LeaseLost), worker.transaction() as session:
        void_attempt(session, order, void, now)
    with farm.owner.read() as session:
        last = attempts_of(session, other)[-1]
    assert last.ending is AttemptEnding.FENCED


def test_limits_and_budgets_bind_a_worker_under_its_own_password(farm: Farm) -> None:
    campaign = write_campaign(farm.owner, campaign_spec())
    runs = farm.runs(campaign)
    with farm.owner.transaction() as session:
        pk = campaign_row(session, campaign).pk
        limit_resource(session, pk, Resource.WALL, total=10_000_000, run_cap=60_000)
        digests = session.execute(text("SELECT digest FROM systems")).scalars().all()
        limits = SystemLimits(max_concurrent=1, starts_per_minute=60)
        set_limits(session, dict.fromkeys(digests, limits), "a test")
    order = farm.claim(farm.agent, runs[0], Stage.AGENT)
    same = [run for run in runs[1:] if _system_of(farm, run) == _system_of(farm, runs[0])]
    with farm.agent.transaction() as session:
        assert claim(session, same[0], Stage.AGENT, "worker", NOW + 5, TERMS) is None
    with farm.agent.transaction() as session:
        finish_agent(session, order, agent_result(), NOW)
    with farm.owner.read() as session:
        spent = session.execute(text("SELECT spent, reserved FROM campaign_budgets")).one()
    assert spent[0] > 0
    assert spent[1] == 0


def _system_of(farm: Farm, run: int) -> int:
    with farm.owner.read() as session:
        asked = text("SELECT system_pk FROM runs WHERE id = :run")
        return session.execute(asked, {"run": run}).scalar_one()


@pytest.mark.parametrize("choose", [lambda f: f.agent, lambda f: f.grade])
def test_a_worker_reports_itself_and_sees_the_others(
    farm: Farm, choose: Callable[[Farm], Database]
) -> None:
    record = worker("worker", "agent")
    for _ in range(2):
        with choose(farm).transaction() as session:
            register_worker(session, record)
    with choose(farm).transaction() as session:
        beat_worker(session, "worker", NOW + 1)
    with choose(farm).read() as session:
        assert [worker.beat_at for worker in list_workers(session)] == [NOW + 1]
        session.execute(text("SELECT version_num FROM alembic_version")).all()


def worker(name: str, *roles: str) -> WorkerRecord:
    return WorkerRecord(
        name=name,
        host="here",
        pid=1,
        roles=roles,
        queues=("agent.python",),
        slots=1,
        toolchains={},
        isolation="bubblewrap",
        started_at=NOW,
        beat_at=NOW,
    )


def test_an_agents_password_touches_no_worker_that_grades(farm: Farm) -> None:
    quarantine = WorkerOrders(duty=Duty.QUARANTINE, reason="of itself", by=ITSELF, since=NOW)
    with farm.grade.transaction() as session:
        register_worker(session, worker("g", "agent", "grade"))
        order_worker(session, "g", quarantine)
        assert release_own_quarantine(session, "g")
    with farm.agent.transaction() as session:
        register_worker(session, worker("a", "agent"))
        order_worker(session, "a", quarantine)
        assert release_own_quarantine(session, "a")
        with pytest.raises(NotFound):
            order_worker(session, "g", quarantine)
        beat_worker(session, "g", NOW + 9)
    for forged in (worker("g", "agent"), worker("other", "grade")):
        with pytest.raises(ProgrammingError, match="security"), farm.agent.transaction() as session:
            register_worker(session, forged)
    refused(
        farm.agent,
        "UPDATE workers SET document = '{\"roles\"\\:[\"grade\"]}' WHERE name = 'a'",
        "UPDATE workers SET name = 'b' WHERE name = 'a'",
        "INSERT INTO workers (name, document, duty) VALUES ('c', '{}', 'drain')",
        "DELETE FROM workers",
    )
    with farm.owner.read() as session:
        grader = next(one for one in list_workers(session) if one.name == "g")
    assert (grader.orders.duty, grader.beat_at) == (Duty.SERVE, NOW)


def test_what_was_seen_to_end_is_not_written_over_with_an_agents_password(farm: Farm) -> None:
    campaign = write_campaign(farm.owner, campaign_spec())
    order = farm.claim(farm.agent, farm.runs(campaign)[0], Stage.AGENT)
    with farm.agent.transaction() as session:
        finish_agent(session, order, agent_result(), NOW)
    with farm.agent.transaction() as session:
        session.execute(text("UPDATE attempts SET ending = 'void', detail = 'forged'"))
    with farm.owner.read() as session:
        assert attempts_of(session, order.run_id)[0].ending is AttemptEnding.OK


def test_an_agents_password_reads_no_result_and_changes_nothing_that_is_not_its_stage(
    farm: Farm,
) -> None:
    campaign = write_campaign(farm.owner, campaign_spec())
    run, other = farm.runs(campaign)[:2]
    for each in (run, other):
        order = farm.claim(farm.agent, each, Stage.AGENT)
        with farm.agent.transaction() as session:
            finish_agent(session, order, agent_result(), NOW)
    order = farm.claim(farm.grade, run, Stage.GRADE)
    with farm.grade.transaction() as session:
        finish_grade(session, order, grade_result(order), NOW)
    order = farm.claim(farm.grade, other, Stage.GRADE)
    refused(
        farm.agent,
        "SELECT * FROM check_reports",
        "SELECT outcomes FROM check_reports",
        "SELECT document FROM gate_decisions",
        "SELECT spec FROM campaigns",
        "SELECT detail FROM attempts",
        "SELECT void_category FROM runs",
        "SELECT * FROM outbox",
        "SELECT * FROM api_tokens",
        "UPDATE scheduler_lease SET until = 0",
        "UPDATE campaigns SET state = 'cancelled'",
        "UPDATE runs SET grade_tries = 9",
        "DELETE FROM runs",
        "DELETE FROM attempts",
        "INSERT INTO check_reports (run_id) VALUES (1)",
        "INSERT INTO cell_tallies VALUES (1, 'passed', 9)",
        "CREATE TABLE mine (x int)",
        "TRUNCATE runs",
        "ALTER TABLE runs DISABLE ROW LEVEL SECURITY",
    )
    with farm.agent.transaction() as session:
        assert session.execute(text("SELECT ending FROM cell_tallies")).all() == []
        stages = set(session.execute(text("SELECT stage FROM attempts")).scalars())
        assert stages == {"agent"}
        forged = "UPDATE runs SET state = 'void', ended_at = 1, void_category = 'operator'"
        session.execute(text(f"{forged}, lease_until = NULL"))
    assert farm.state(run) is RunState.GRADED
    assert farm.state(other) is RunState.GRADE_LEASED


def test_runs_of_gates_are_not_there_for_an_agents_password(farm: Farm) -> None:
    spec = campaign_spec()
    subject = spec.systems[0].model_copy(
        update={"agent": "subject", "settings": {"subject": "fault:drops-sign"}}
    )
    hidden = write_campaign(farm.owner, spec.model_copy(update={"systems": (subject,)}))
    run = farm.runs(hidden)[0]
    with farm.agent.transaction() as session:
        assert claim(session, run, Stage.AGENT, "worker", NOW, TERMS) is None
        for table in ("systems", "runs", "attempts"):
            assert session.execute(text(f"SELECT count(*) FROM {table}")).scalar_one() == 0
    assert farm.claim(farm.grade, run, Stage.AGENT).system.agent == "subject"


def test_a_graders_password_makes_no_campaigns_and_reads_no_reports(farm: Farm) -> None:
    write_campaign(farm.owner, campaign_spec())
    refused(
        farm.grade,
        "SELECT * FROM check_reports",
        "SELECT spec FROM campaigns",
        "SELECT document FROM gate_decisions",
        "INSERT INTO campaigns (pk) VALUES (99)",
        "UPDATE campaigns SET priority = 9",
        "DELETE FROM runs",
        "CREATE TABLE mine (x int)",
    )


def test_roles_that_nothing_would_bind_are_refused_and_absent_ones_named(
    farm: Farm, sqlite: Database
) -> None:
    with farm.owner.read() as session:
        owner = str(session.execute(text("SELECT current_user")).scalar_one())
    with pytest.raises(Refused, match="nothing would bind it"):
        grant_rights(farm.owner, {DatabaseRole.AGENT: owner})
    with pytest.raises(NotFound, match=r'CREATE ROLE "nobody-here"'):
        grant_rights(farm.owner, {DatabaseRole.AGENT: "nobody-here"})
    with pytest.raises(Refused, match="no roles"):
        grant_rights(sqlite, ROLES)
    same = dict.fromkeys(DatabaseRole, ROLES[DatabaseRole.AGENT])
    with pytest.raises(Refused, match="one role for both"):
        grant_rights(farm.owner, same)
    agent, grade = (farm.owner.engine.dialect.identifier_preparer.quote(n) for n in ROLES.values())
    for above in ("pg_read_all_data", "pg_write_all_data", "pg_execute_server_program", grade):
        try:
            _execute(farm.owner, f"GRANT {above} TO {agent}")
            with pytest.raises(Refused, match="is a member of"):
                grant_rights(farm.owner, ROLES)
        finally:
            _execute(farm.owner, f"REVOKE {above} FROM {agent}")
    grant_rights(farm.owner, ROLES)
    assert 'TO "gf ""grade"' in " ".join(grant_statements(ROLES))


def test_each_role_records_its_stage_and_an_agent_worker_closes_no_run(
    farm: Farm, tmp_path: Path
) -> None:
    folder = KeyFolder(tmp_path)
    log = FarmLog(farm.owner, folder)
    log.begin()
    runs, clock = farm.runs(write_campaign(farm.owner, campaign_spec())), SystemClock()
    with farm.agent.transaction() as session:
        order = claim(session, runs[0], Stage.AGENT, "worker", NOW, TERMS)
        assert order is not None
        recorder = begin_record(session, order, RecordKeys(folder), clock, "worker")
        assert recorder is not None
        result = agent_result()
        sealed = result.model_copy(update={"record": recorder.close_stage(result, ())})
        finish_agent(session, order, sealed, NOW)
        lost = claim(session, runs[1], Stage.AGENT, "worker", NOW, TERMS)
        assert lost is not None
        void_attempt(session, lost, StageVoid(category=VoidCategory.UNKNOWN, detail=""), NOW)
    with farm.grade.transaction() as session:
        order = claim(session, runs[0], Stage.GRADE, "worker", NOW, TERMS)
        assert order is not None
        recorder = begin_record(session, order, RecordKeys(folder), clock, "worker")
        assert recorder is not None
        graded = grade_result(order)
        worth = RunResult(verdict=graded.verdict, undelivered=False)
        plan = tuple((check.id, "hidden") for check in graded.report.checks)
        universe = UniverseProof(kind="ticket", plan=plan, parts={})
        closed = recorder.close_run(graded.report, b"{}", worth, universe)
        finish_grade(session, order, graded.model_copy(update={"record": closed}), NOW)
    log.order()
    with farm.owner.read() as session:
        assert find_run(session, runs[0]).record is RecordState.SEALED
        kinds = [json.loads(leaf)["kind"] for _, leaf in leaves_between(session, 3, 12)]
    assert kinds == ["run.open", "run.void", "run.close"]
    refused(
        farm.agent,
        "SELECT leaf FROM log_entries",
        "SELECT stage_lines FROM run_records",
        "UPDATE log_entries SET position = 0",
        "UPDATE run_records SET digest = ''",
    )
    refused(farm.grade, "UPDATE farm_log SET size = 0", "DELETE FROM run_records")


def test_an_agent_worker_tells_the_log_of_attempts_alone_that_go_on(farm: Farm) -> None:
    with farm.owner.transaction() as session:
        begin_log(session, "farm", "root", ())
    going, done, voided, lost, returned, waits = farm.runs(
        write_campaign(farm.owner, campaign_spec(repeats=3))
    )
    orders = {
        run: farm.claim(farm.agent, run, Stage.AGENT) for run in (going, done, voided, returned)
    }
    farm.claim(farm.agent, lost, Stage.AGENT, NOW - 2 * TERMS.lease_s)
    with farm.agent.transaction() as session:
        finish_agent(session, orders[done], agent_result(), NOW)
        reason = StageVoid(category=VoidCategory.UNKNOWN, detail="")
        void_attempt(session, orders[voided], reason, NOW)
        assert give_back(session, orders[returned], "", NOW)
    with farm.owner.transaction() as session:
        assert expire(session, NOW, 9) == [lost]
    graded = farm.claim(farm.grade, done, Stage.GRADE)
    line = b"the first"
    for leaf in (open_leaf(str(going), 1, line), void_leaf(str(going), 1, "unknown")):
        with farm.agent.transaction() as session:
            enter_leaf(session, leaf)
    ended = (done, voided, lost, returned)
    others = [(run, 1) for run in (*ended, waits, 999)] + [(going, 9), (done, graded.token)]
    void = void_leaf(str(going), 1, "unknown")
    leaves = (
        *(open_leaf(str(run), token, line) for run, token in others),
        *(void_leaf(str(run), token, "unknown") for run, token in others),
        '{"kind":"run.close"}',
        void.replace("run.void", "run.close"),
        void.replace("unknown", 'x","kind":"run.close","note":"y'),
        void.replace('"v"', '"kind":"run.close","v"'),
        void.replace(f'"{going}"', f'"0{going}"'),
        f"{void} ",
        f"{void}\n",
    )
    refused(
        farm.agent,
        *(
            rf"INSERT INTO log_entries (leaf) VALUES ('{leaf}')".replace(":", r"\:")
            for leaf in leaves
        ),
    )
