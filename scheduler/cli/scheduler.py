"""`gradefarm scheduler`: the scheduler of a farm, in the foreground."""

import logging
import signal
import threading
from types import FrameType

import typer

from models.clock import SystemClock
from models.messaging.broker_memory import open_broker_memory
from models.messaging.job_sender import JobSender
from scheduler.cli.farm_access import open_local_farm
from scheduler.scheduler_loop import run_scheduler

DATABASE_ANSWER_S = 15.0
"""The largest statements of a scheduler insert or end some thousands of runs."""

app = typer.Typer(rich_markup_mode=None)


@app.command()
def scheduler() -> None:
    """Run the scheduler: it plans, tops the queues up, and takes back what lost workers held.

    Any number may run; one is in office and the others wait to take over. SIGTERM and Ctrl-C end
    it in order.

    \b
      gradefarm scheduler
    """
    farm = open_local_farm()
    farm.catalog.refuse_public_alone("the scheduler")
    database = farm.open_database(DATABASE_ANSWER_S)
    stop = threading.Event()

    def ask_to_stop(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, ask_to_stop)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    url = farm.settings.broker_url
    sender = JobSender(url, tuple(sorted(farm.catalog.languages())))
    try:
        run_scheduler(database, sender, open_broker_memory(url), farm.settings, SystemClock(), stop)
    finally:
        sender.close()
        database.close()
