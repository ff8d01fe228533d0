"""Turns the figures of a farm into Prometheus metrics, at the moment of a scrape."""

import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from models.clock import Clock
from models.event_log import event
from models.schemas.budget import MICRO, Resource
from models.schemas.campaign import CampaignState
from models.schemas.run import Stage
from models.schemas.worker import WorkerState
from models.storage.elections import is_this_process
from models.storage.farm_figures import FarmFigures
from models.storage.transaction import DATABASE_ERRORS, Database
from models.verdicts import BLAMED, AttemptEnding
from scheduler.activity.throughput import throughput_of

log = logging.getLogger(__name__)

KEPT_S = 5.0
"""Scrapes within so many seconds get the same figures: several monitors cost as much as one."""
ROLES = ("agent", "grade")
Part = Callable[[FarmFigures], Iterator[Metric]]
SPOILED = (AttemptEnding.VOID, AttemptEnding.LOST)


class FarmCollector(Collector):
    """The farm as its database tells it. `schedules`: this process is one of its schedulers.

    A database that is away makes `gradefarm_database_up` 0, and leaves the rest out.
    """

    def __init__(self, database: Database, clock: Clock, *, schedules: bool = False) -> None:
        self._database = database
        self._clock = clock
        self._schedules = schedules
        self._lock = threading.Lock()
        self._kept: tuple[float, list[Metric]] | None = None

    def collect(self) -> Iterable[Metric]:
        """Every metric of the farm. Asks the database at most once every KEPT_S seconds."""
        try:
            with self._lock:
                found = self._metrics()
        except DATABASE_ERRORS as error:
            log.warning("no figures: %s", type(error).__name__)
            yield gauge("database_up", "Whether the database answered the last scrape.", 0)
            return
        yield gauge("database_up", "Whether the database answered the last scrape.", 1)
        yield from found

    def _metrics(self) -> list[Metric]:
        at = self._clock.monotonic()
        if self._kept is None or at - self._kept[0] >= KEPT_S:
            with self._database.read() as session:
                figures = FarmFigures(session, self._clock.now())
                parts = (_campaigns, _spoiled, _queues, _workers, self._scheduling)
                self._kept = at, [one for part in parts for one in _readable(part, figures)]
        return self._kept[1]

    def _scheduling(self, figures: FarmFigures) -> Iterator[Metric]:
        there = figures.holder is not None
        ours = is_this_process(figures.holder) if self._schedules else there
        yield gauge("scheduler_in_office", "Whether this scheduler, or any, is in office.", ours)
        yield gauge("outbox_pending", "Messages that the broker did not take yet.", figures.unsent)
        held = max((figures.at - run.started_at for run in figures.leased), default=0.0)
        yield gauge("oldest_lease_seconds", "How long the oldest stage is at work.", held)


def metrics_text(collector: FarmCollector) -> bytes:
    """What a collector tells, in Prometheus' text format."""
    registry = CollectorRegistry()
    registry.register(collector)
    return generate_latest(registry)


def gauge(name: str, text: str, value: float) -> GaugeMetricFamily:
    """A gauge without labels."""
    return GaugeMetricFamily(f"gradefarm_{name}", text, value=float(value))


def _gauges(name: str, text: str, *labels: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"gradefarm_{name}", text, labels=labels)


def _counters(name: str, text: str, *labels: str) -> CounterMetricFamily:
    return CounterMetricFamily(f"gradefarm_{name}", text, labels=labels)


def _readable(part: Part, figures: FarmFigures) -> list[Metric]:
    """A part of the metrics up to where what they are made of can't be read: one row that went
    wrong must not blind the monitors to all others. Raises what tells that the database is away."""
    found: list[Metric] = []
    try:
        found.extend(part(figures))
    except DATABASE_ERRORS:
        raise
    except Exception:
        log.exception("figures are left out", extra=event("figures_left_out", part=part.__name__))
    return found


def _campaigns(figures: FarmFigures) -> Iterator[Metric]:
    campaigns = _gauges("campaigns", "Campaigns by state.", "state")
    for state in CampaignState:
        campaigns.add_metric([state], figures.campaigns.get(state, 0))
    yield campaigns
    runs = _gauges("runs", "Runs of campaigns that have not ended, by state.", "state")
    for state, count in figures.runs.items():
        runs.add_metric([state], count)
    yield runs
    ended = _counters("runs_ended", "Runs that ended, by ending.", "ending")
    for ending in ("passed", "failed", "undelivered", "void", "cancelled"):
        ended.add_metric([ending], figures.ended.get(ending, 0))
    yield ended
    spent = figures.spent
    usd = CounterMetricFamily(
        "gradefarm_spend_usd", "Spent, in US dollars.", value=spent.get(Resource.COST, 0) / MICRO
    )
    tokens = CounterMetricFamily(
        "gradefarm_spend_tokens", "Tokens used.", value=spent.get(Resource.TOKENS, 0)
    )
    yield from (usd, tokens)
    pace = throughput_of(figures.recent, figures.at)
    graded = sum(pace.per_s(load.pk) or 0.0 for load in figures.loads if load.stage is Stage.GRADE)
    yield gauge("runs_per_hour", "Graded runs in an hour, at the present pace.", graded * 3_600)


def _spoiled(figures: FarmFigures) -> Iterator[Metric]:
    voids = _counters("void_attempts", "Attempts that the farm spoiled.", "category", "component")
    counts: Counter[AttemptEnding] = Counter()
    by_category: Counter[str] = Counter()
    for (ending, category), attempts in figures.spoiled.items():
        counts[ending] += attempts
        if ending in SPOILED:
            by_category[category] += attempts
    for category, component in BLAMED.items():
        voids.add_metric([category, component], by_category[category])
    yield voids
    for name, ending, text in (
        ("lease_expiries", AttemptEnding.LOST, "Leases that ended without a sign of life."),
        ("fenced_writes", AttemptEnding.FENCED, "Late writes that were refused."),
    ):
        yield CounterMetricFamily(f"gradefarm_{name}", text, value=counts[ending])


def _queues(figures: FarmFigures) -> Iterator[Metric]:
    age = _gauges("queue_age_seconds", "How long the oldest message waits.", "queue")
    waiting = _gauges("queue_waiting", "Stages that wait to be worked on.", "queue")
    in_flight = _gauges("queue_in_flight", "Messages on their way to a worker.", "queue")
    for load in figures.loads:
        since = load.queued_since
        age.add_metric([load.name], 0.0 if since is None else max(0.0, figures.at - since))
        waiting.add_metric([load.name], load.remaining - load.leased)
        in_flight.add_metric([load.name], load.queued)
    yield from (age, waiting, in_flight)


def _workers(figures: FarmFigures) -> Iterator[Metric]:
    workers = _gauges("workers", "Living workers by role and state.", "role", "state")
    slots = _gauges("worker_slots", "Slots of living workers.", "role")
    for role in ROLES:
        slots.add_metric([role], sum(one.slots for one in figures.workers if role in one.roles))
    yield slots
    busy = _gauges("worker_busy", "Slots that are at work.", "role")
    held = Counter(run.worker for run in figures.leased)
    for role in ROLES:
        ours = [one for one in figures.workers if role in one.roles]
        states = Counter(one.state(held[one.name]) for one in ours)
        for state in WorkerState:
            told = "alive" if state is WorkerState.SERVING else state
            workers.add_metric([role, told], states[state])
        busy.add_metric([role], sum(held[one.name] for one in ours))
    yield from (workers, busy)
