"""What a worker answers over the broker: questions that monitors ask, and no order."""

from collections.abc import Callable
from typing import cast

# Celery ships no types; the table of its remote control is a dictionary by name.
from celery.worker.control import Panel  # pyright: ignore[reportMissingTypeStubs]

from models.clock import SystemClock
from workers.worker_log import log_event

QUESTIONS = frozenset(
    {
        *("ping", "stats", "conf", "active_queues", "registered"),
        *("scheduled", "active", "reserved", "revoked", "enable_events"),
    }
)
"""What Flower asks, and a `ping`. Events are on in any case."""


def take_no_orders() -> None:
    """Let this process refuse every other command of Celery's remote control.

    Whoever reaches the broker could else shut every worker down, or let it take no more work.
    """
    commands = cast("dict[str, Callable[..., object]]", Panel.data)  # pyright: ignore[reportUnknownMemberType]
    for name in set(commands) - QUESTIONS:
        commands[name] = _refusal(name)


def _refusal(name: str) -> Callable[..., dict[str, str]]:
    def refuse(_state: object, **_arguments: object) -> dict[str, str]:
        log_event("order_refused", SystemClock().now(), order=name)
        return {"error": "workers of this farm take no orders over the broker"}

    return refuse
