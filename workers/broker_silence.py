"""What a worker says while its broker does not answer: one line with the remedy, now and then."""

import logging
from collections.abc import Callable
from typing import Protocol, cast

# kombu ships no types.
from kombu.utils import url as kombu_url  # pyright: ignore[reportMissingTypeStubs]

from models.clock import Clock
from workers.worker_log import log_event

CONSUMER_LOG = "celery.worker.consumer.consumer"
CELERYS_WORDS = ("consumer: Cannot connect to", "consumer: Connection to broker lost")
SAID_AGAIN_AFTER_S = 60.0
REMEDY = (
    "start the broker, or correct GRADEFARM_BROKER_URL and start the worker again; until it "
    "answers, the worker keeps trying"
)


class UrlMasking(Protocol):
    """The part of kombu that takes passwords out of addresses."""

    def maybe_sanitize_url(self, url: str) -> object: ...


class BrokerSilence(logging.Filter):
    """Takes Celery's own words for it out of a log, several lines for each try, and says it once.

    The address is shown without its password.
    """

    def __init__(self, broker: str, clock: Clock) -> None:
        super().__init__()
        self._broker = str(cast("UrlMasking", kombu_url).maybe_sanitize_url(broker))
        self._clock = clock
        self._say_again_at: float | None = None

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is of another matter."""
        text = record.getMessage()
        if not text.startswith(CELERYS_WORDS):
            return True
        now = self._clock.monotonic()
        if self._say_again_at is None or now >= self._say_again_at:
            self._say_again_at = now + SAID_AGAIN_AFTER_S
            log_event("broker_unreachable", self._clock.now(), broker=self._broker, remedy=REMEDY)
        return False

    def heard(self, **_: object) -> None:
        """The broker answers: the next silence is a new one."""
        self._say_again_at = None


def say_silence_once(broker: str, clock: Clock) -> Callable[..., None]:
    """Take Celery's words out of this process's log from now on; returns what to call whenever
    the broker answers."""
    silence = BrokerSilence(broker, clock)
    logging.getLogger(CONSUMER_LOG).addFilter(silence)
    return silence.heard
