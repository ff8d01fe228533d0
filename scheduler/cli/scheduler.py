"""`gradefarm scheduler`: the scheduler of a farm, in the foreground."""

import logging
import signal
import threading
from types import FrameType
from typing import Annotated

import typer

from models.clock import SystemClock
from models.event_log import begin_log, event
from models.messaging.broker_memory import open_broker_memory
from models.messaging.job_sender import JobSender
from models.metrics_server import serve_metrics
from models.storage.database_clock import shared_clock
from scheduler.cli.farm_access import open_local_farm
from scheduler.farm_access.local_farm import LocalFarm
from scheduler.metrics.farm_collector import FarmCollector
from scheduler.metrics.tick_metrics import TICKS
from scheduler.scheduler_loop import run_scheduler

log = logging.getLogger(__name__)

METRICS_ANSWER_S = 5.0
DATABASE_ANSWER_S = 15.0
"""The largest statements of a scheduler insert or end some thousands of runs."""

app = typer.Typer(rich_markup_mode=None)


@app.command()
def scheduler(
    *,
    metrics_port: Annotated[
        int | None,
        typer.Option(min=0, max=65_535, help="Serve metrics there; 0: any port."),
    ] = None,
) -> None:
    """Run the scheduler: it plans, tops the queues up, and takes back what lost workers held.

    Any number may run; one is in office and the others wait to take over. SIGTERM and Ctrl-C end
    it in order.

    \b
      gradefarm scheduler
      gradefarm scheduler --metrics-port 9100
    """
    farm = open_local_farm()
    farm.catalog.refuse_public_alone("the scheduler")
    # For the sign of life.
    farm.settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    database = farm.open_database(DATABASE_ANSWER_S)
    stop = threading.Event()

    def ask_to_stop(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, ask_to_stop)
    begin_log("scheduler", farm.settings.log)
    port = farm.settings.metrics_port if metrics_port is None else metrics_port
    if port is not None:
        _serve_metrics(farm, port)
    url = farm.settings.broker_url
    sender = JobSender(url, tuple(sorted(farm.catalog.languages())))
    try:
        run_scheduler(database, sender, open_broker_memory(url), farm.settings, SystemClock(), stop)
    finally:
        sender.close()
        database.close()


def _serve_metrics(farm: LocalFarm, port: int) -> None:
    """Beside the loop, over a connection of its own that does not wait long."""
    database = farm.open_database(METRICS_ANSWER_S)
    clock = shared_clock(database, SystemClock())
    TICKS.register(FarmCollector(database, clock, schedules=True))
    address = farm.settings.metrics_address
    served = serve_metrics(TICKS, address, port)
    log.info("metrics", extra=event("metrics_served", address=address, port=served))
