"""What stands in the way when a farm moves on to another version."""

import time

from models.clock import Clock
from models.errors import Refused
from models.migrations.upgrade import database_revision
from models.storage.elections import office_holder
from models.storage.transaction import Database

BEFORE_PROTOCOLS = "0001"
"""The last revision whose schedulers know nothing of protocols and would go on for ever."""


def refuse_unknowing_scheduler(database: Database, clock: Clock, patience_s: float) -> None:
    """Raises Refused where a scheduler from before protocols is still in office after a while:
    longer than one that died would keep the office."""
    if database_revision(database) != BEFORE_PROTOCOLS:
        return
    give_up = time.monotonic() + patience_s
    while True:
        with database.read() as session:
            holder = office_holder(session, clock.now())
        if holder is None:
            return
        if time.monotonic() > give_up:
            raise Refused(
                f"the scheduler {holder} is at work, and it would not notice the upgrade.",
                remedy="Stop the schedulers of the version before, then upgrade.",
            )
        time.sleep(0.5)
