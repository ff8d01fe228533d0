"""The queries by which KEDA counts pods, on a real PostgreSQL under the login made for them."""

import re
import shlex
import subprocess
from collections.abc import Generator

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.engine import Engine, make_url
from sqlalchemy.exc import ProgrammingError

from models.storage.granting import KEPT_BACK, grant_rights
from models.storage.role_rights import DatabaseRole
from models.storage.transaction import Database
from scheduler.campaign_lifecycle import pause_campaign
from tests.deploy.deploy_files import DEPLOY, ROOT, run_tool, tool
from tests.deploy.test_kubernetes import HANDS, query_of
from tests.fakes.campaigns import campaign_spec, variant, write_campaign

pytestmark = pytest.mark.real

README = (DEPLOY / "README.md").read_text()
PASSWORD = "counts-only"
WORKERS = {DatabaseRole.AGENT: "scaler_test_agent", DatabaseRole.GRADE: "scaler_test_grade"}
MOVES = (
    ("agent_queued", "queued_until = 1", "agent.python"),
    ("agent_leased", "lease_until = 1", "agent.python"),
    ("frozen", "", "grade.python"),
    ("grade_queued", "queued_until = 1", "grade.python"),
    ("grade_leased", "lease_until = 1", "grade.python"),
    ("graded", "ended_at = 1", "grade.python"),
    ("void", "ended_at = 1, void_category = 'worker_lost'", "agent.python"),
    ("cancelled", "ended_at = 1", "agent.python"),
)
"""A state, what comes with it, and the queue of the stage that such a run needs next."""


def make_login(url: str) -> subprocess.CompletedProcess[str]:
    """The command of deploy/README.md, word for word but for the password and the address."""
    (line,) = re.findall(r"^psql .*farm_scaler\.sql.*$", README, re.MULTILINE)
    _, *words = shlex.split(line.replace("password=…", f"password={PASSWORD}"))
    return run_tool(tool("psql"), "--quiet", "--no-psqlrc", *words[:-1], url, cwd=ROOT)


@pytest.fixture
def scaler(postgresql: Database, postgresql_url: str) -> Generator[Engine]:
    """A connection under the login of farm_scaler.sql, made in the documented order: the tables,
    the logins of workers, their rights (the job `migrate`), and then the script."""
    place = make_url(postgresql_url)
    with postgresql.engine.begin() as connection:
        connection.execute(text("CREATE TABLE IF NOT EXISTS alembic_version (version_num text)"))
        for role in WORKERS.values():
            connection.execute(text(f"CREATE ROLE {role} LOGIN PASSWORD '{PASSWORD}'"))
    grant_rights(postgresql, WORKERS)
    done = make_login(postgresql_url)
    assert done.returncode == 0, done.stderr
    login = place.set(drivername="postgresql+psycopg", username="farm_scaler", password=PASSWORD)
    engine = create_engine(login)
    try:
        yield engine
    finally:
        engine.dispose()
        with postgresql.engine.begin() as connection:
            for table in KEPT_BACK:
                connection.execute(text(f"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY"))
            for role in ("farm_scaler", *WORKERS.values()):
                connection.execute(text(f"DROP OWNED BY {role}"))
                connection.execute(text(f"DROP ROLE {role}"))


def test_its_login_is_made_after_the_tables_or_not_at_all(
    postgresql: Database, postgresql_url: str
) -> None:
    steps = ("kubectl apply --kustomize", "job/migrate", "--file deploy/kubernetes/components/keda")
    assert sorted(README.index(step) for step in steps) == [README.index(step) for step in steps]
    empty = make_url(postgresql_url).set(database="scaler_too_early")
    admin = postgresql.engine.execution_options(isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(text("CREATE DATABASE scaler_too_early"))
        try:
            done = make_login(empty.render_as_string(hide_password=False))
            roles = text("SELECT count(*) FROM pg_roles WHERE rolname = 'farm_scaler'")
            assert connection.execute(roles).scalar_one() == 0
        finally:
            connection.execute(text("DROP DATABASE scaler_too_early"))
    assert done.returncode != 0
    assert 'relation "runs" does not exist' in done.stderr


def counts(scaler: Engine) -> dict[str, int]:
    with scaler.connect() as connection:
        return {name: connection.execute(text(query_of(name))).scalar_one() for name in HANDS}


def test_what_waits_what_was_sent_and_what_is_in_hand_counts_for_the_right_pods(
    postgresql: Database, scaler: Engine
) -> None:
    assert counts(scaler) == {"agent": 0, "grade-scripts": 0, "grade-compiled": 0}
    spec = campaign_spec(systems=1, repeats=10)
    scripts = write_campaign(postgresql, spec)
    assert counts(scaler) == {"agent": 10, "grade-scripts": 0, "grade-compiled": 0}
    with postgresql.engine.begin() as connection:
        for repeat, (state, more, queue) in enumerate(MOVES, start=1):
            extra = f", {more}" if more else ""
            connection.execute(
                text(
                    f"UPDATE runs SET state = :state{extra}, "
                    "queue_pk = (SELECT pk FROM queues WHERE name = :queue) "
                    "WHERE repeat = :repeat"
                ),
                {"state": state, "queue": queue, "repeat": repeat},
            )
    # Two still planned, one sent, one in hand; one frozen, one sent, one in hand; three are over.
    assert counts(scaler) == {"agent": 4, "grade-scripts": 3, "grade-compiled": 0}
    pause_campaign(postgresql, scripts)
    # Nothing is given out of a paused campaign, but what is in hand needs its pods.
    assert counts(scaler)["agent"] == 1
    go = (variant(language="go"),)
    write_campaign(postgresql, campaign_spec(systems=1, repeats=3, variants=go), go)
    with postgresql.engine.begin() as connection:
        connection.execute(
            text(
                "UPDATE runs SET state = 'frozen', "
                "queue_pk = (SELECT pk FROM queues WHERE name = 'grade.go') "
                "WHERE queue_pk = (SELECT pk FROM queues WHERE name = 'agent.go')"
            )
        )
    assert counts(scaler)["grade-compiled"] == 3


def test_a_count_stops_where_no_more_pods_could_be_had(
    postgresql: Database, scaler: Engine
) -> None:
    write_campaign(postgresql, campaign_spec(systems=3, repeats=500))
    assert counts(scaler)["agent"] == 1000


def test_the_login_reads_states_and_nothing_that_runs_made(
    postgresql: Database, scaler: Engine
) -> None:
    for forbidden in (
        "SELECT outcomes FROM check_reports",
        "SELECT snapshot FROM runs",
        "SELECT spec FROM campaigns",
        "UPDATE runs SET state = 'void'",
    ):
        with pytest.raises(ProgrammingError, match="permission denied"), scaler.begin() as one:
            one.execute(text(forbidden))
