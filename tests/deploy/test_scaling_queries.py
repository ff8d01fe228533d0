"""The queries by which KEDA counts pods, on a real PostgreSQL under the login made for them."""

from collections.abc import Generator

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.engine import Engine, make_url
from sqlalchemy.exc import ProgrammingError

from models.storage.transaction import Database
from scheduler.campaign_lifecycle import pause_campaign
from tests.deploy.deploy_files import DEPLOY, run_tool, tool
from tests.deploy.test_kubernetes import HANDS, query_of
from tests.fakes.campaigns import campaign_spec, variant, write_campaign

pytestmark = pytest.mark.real

PASSWORD = "counts-only"
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


@pytest.fixture
def scaler(postgresql: Database, postgresql_url: str) -> Generator[Engine]:
    """A connection under the login of farm_scaler.sql."""
    place = make_url(postgresql_url)
    script = DEPLOY / "kubernetes" / "components" / "keda" / "farm_scaler.sql"
    with postgresql.engine.begin() as connection:
        # As `gradefarm db grant` does.
        connection.execute(text("ALTER TABLE runs ENABLE ROW LEVEL SECURITY"))
    done = run_tool(
        tool("psql"),
        *("--quiet", "--no-psqlrc", "--set", "ON_ERROR_STOP=1", "--set", f"password={PASSWORD}"),
        *("--file", script, postgresql_url),
    )
    assert done.returncode == 0, done.stderr
    login = place.set(drivername="postgresql+psycopg", username="farm_scaler", password=PASSWORD)
    engine = create_engine(login)
    try:
        yield engine
    finally:
        engine.dispose()
        with postgresql.engine.begin() as connection:
            connection.execute(text("ALTER TABLE runs DISABLE ROW LEVEL SECURITY"))
            connection.execute(text("DROP OWNED BY farm_scaler"))
            connection.execute(text("DROP ROLE farm_scaler"))


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
