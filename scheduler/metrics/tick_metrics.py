"""How long the rounds of this process's scheduler take."""

from prometheus_client import CollectorRegistry, Histogram

TICKS = CollectorRegistry()
TICK_SECONDS = Histogram(
    "gradefarm_scheduler_tick_seconds",
    "How long a round of the scheduler takes.",
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0),
    registry=TICKS,
)
