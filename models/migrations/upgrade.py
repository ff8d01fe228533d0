"""Brings a database to the newest schema, or says where it is."""

import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from models.clock import SystemClock
from models.errors import Refused
from models.protocol import OLDEST_FINISHER, PROTOCOL
from models.schemas.lease import LeaseTerms
from models.storage.database_clock import shared_clock
from models.storage.dispatching import unqueue_all
from models.storage.farm_protocol import farm_protocol, refuse_other_protocol, set_farm_protocol
from models.storage.interruptions import interrupt_all
from models.storage.lease_grace import give_leases_time
from models.storage.transaction import Database, open_database

FOLDER = Path(__file__).resolve().parent


@contextmanager
def migrating(database: Database) -> Generator[Config]:
    """Alembic's configuration with these scripts, while nobody else migrates `database`.

    All that is done with it is one transaction, with the lock of whoever migrates.
    """
    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    with database.migration() as connection:
        config.attributes["connection"] = connection
        yield config


def newest_revision() -> str:
    """The revision that this version of the farm needs."""
    scripts = ScriptDirectory(str(FOLDER))
    newest = scripts.get_current_head()
    if newest is None:
        raise Refused("this gradefarm has no migrations.", remedy="Install it again.")
    return newest


def database_revision(database: Database) -> str | None:
    """The revision of a database, None for one without tables."""
    with database.engine.connect() as connection:
        return _revision(connection)


def _revision(connection: Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()


def known_revisions() -> frozenset[str]:
    """Every revision that this version of the farm can bring up to its own."""
    return frozenset(script.revision for script in ScriptDirectory(str(FOLDER)).walk_revisions())


def upgrade_database(url: str, revision: str = "", lease_s: float = LeaseTerms().lease_s) -> None:
    """Create the tables at `url`, or bring them to `revision`, the newest without one.

    Results are kept, and leases end no earlier than `lease_s` after it. Any number of processes
    may do this at once: one does it, the others wait and find it done.
    """
    target = revision or newest_revision()
    database = open_database(url)
    try:
        found = database_revision(database)
        refuse_newer(found)
        if found != target:
            with migrating(database) as config:
                command.upgrade(config, target)
                # What was rewritten was locked, for longer than a lease in a big farm.
                end = shared_clock(database, SystemClock()).now() + lease_s
                give_leases_time(config.attributes["connection"], end)
        if target == newest_revision():
            _move_on(database)
    finally:
        database.close()


def refuse_newer(revision: str | None) -> None:
    """Raises Refused for a revision that this version does not know."""
    if revision is not None and revision not in known_revisions():
        raise Refused(
            f"the database is at {revision}, which this gradefarm does not know.",
            remedy="Install the version of gradefarm that the farm has.",
        )


def _move_on(database: Database) -> None:
    """From now on the farm speaks this code's protocol. Raises OtherProtocol for a newer farm.

    What workers of a protocol too old to finish hold is taken back, uncounted.
    """
    with database.read() as session:
        before = farm_protocol(session)
    if before == PROTOCOL:
        return
    if before is not None and before > PROTOCOL:
        refuse_other_protocol(before)
    with database.transaction() as session:
        set_farm_protocol(session)
        # Messages of the version before are not heard any more.
        unqueue_all(session)
    now = shared_clock(database, SystemClock()).now()
    too_old = before is not None and before < OLDEST_FINISHER
    while too_old:
        with database.transaction() as session:
            too_old = interrupt_all(session, now, "the farm moved on to another version") > 0


def check_database(database: Database) -> None:
    """Raise Refused when a database is not at the newest revision, or of another protocol."""
    found, newest = database_revision(database), newest_revision()
    refuse_newer(found)
    if found != newest:
        raise Refused(
            f"the database is at {found or 'no revision'}, this gradefarm needs {newest}.",
            remedy="Run `gradefarm db upgrade`.",
        )
    with database.read() as session:
        refuse_other_protocol(farm_protocol(session))


def wait_for_database(database: Database, patience_s: float) -> None:
    """Return when a database is at the newest revision: whoever starts a farm may still make it.

    Raises Refused when that takes longer than `patience_s`.
    """
    give_up = time.monotonic() + patience_s
    while True:
        try:
            return check_database(database)
        except Refused:
            if time.monotonic() > give_up:
                raise
        time.sleep(0.1)
