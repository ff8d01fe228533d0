"""A Celery worker of the benchmark: jobs that claim a stage and finish it, and do nothing between.

Started as `python -m tests.benchmarks.noop_worker farm|plain <processes>` with a farm's
environment. `plain` takes the same messages and looks at no database: Celery alone.
"""

import os
import sys
from collections.abc import Callable

import redis

from models.clock import SystemClock
from models.messaging.celery_factory import build_celery
from models.messaging.messages import job_name
from models.messaging.queues import all_queues
from models.schemas.run import Stage
from models.settings import Settings, current_settings
from models.storage.database_clock import shared_clock
from models.storage.leases import claim, finish_agent, finish_grade
from models.storage.transaction import Database, open_database
from tests.benchmarks.trivial_catalog import LANGUAGE_ID
from tests.fakes.campaigns import agent_result, grade_result
from workers.worker_setup import worker_options

COUNTER = "bench:plain"


class _Opened:
    """What a pool child opens once: nothing of a database survives a fork."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._owner = 0
        self._database: Database | None = None

    def database(self) -> Database:
        """The database of the calling process."""
        if self._database is None or self._owner != os.getpid():
            self._database = open_database(self._settings.database_url)
            self._owner = os.getpid()
        return self._database


def farm_job(stage: Stage, settings: Settings) -> Callable[[int], None]:
    """One stage of a true no-op: the transactions of a real one, and no work."""
    opened = _Opened(settings)

    def job(run: int) -> None:
        database = opened.database()
        now = shared_clock(database, SystemClock()).now()
        with database.transaction() as session:
            order = claim(session, run, stage, "noop", now, settings.lease)
        if order is None:
            return
        with database.transaction() as session:
            if stage is Stage.AGENT:
                finish_agent(session, order, agent_result(), now)
            else:
                finish_grade(session, order, grade_result(order), now)

    return job


def plain_job(settings: Settings) -> Callable[[int], None]:
    """A job that is counted, which its end has to be seen by."""
    client = broker_client(settings)

    def job(run: int) -> None:
        client.incr(COUNTER)

    return job


def broker_client(settings: Settings) -> redis.Redis:
    """A connection to the embedded broker."""
    return redis.Redis(unix_socket_path=settings.broker_url.removeprefix("redis+socket://"))


def main() -> None:
    """Serve until told to end."""
    kind, processes = sys.argv[1], int(sys.argv[2])
    settings = current_settings()
    app = build_celery(settings.broker_url, (LANGUAGE_ID,))
    for stage in Stage:
        job = farm_job(stage, settings) if kind == "farm" else plain_job(settings)
        app.task(name=job_name(stage), shared=False)(job)
    options = worker_options(f"noop@{kind}", all_queues((LANGUAGE_ID,)), processes)
    # The farm's own consumer tells a plan of the worker; here there is none.
    worker = app.Worker(
        **{name: value for name, value in options.items() if name != "consumer_cls"}
    )
    worker.start()
    sys.exit(worker.exitcode)


if __name__ == "__main__":
    main()
