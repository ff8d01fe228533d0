"""Messages in the broker's queues, taken out, doubled, or handed in late."""

import time
from collections.abc import Generator
from contextlib import contextmanager

import redis
from redis.exceptions import RedisError

from models.messaging.celery_factory import KEY_PREFIX
from models.messaging.queues import agent_queue, grade_queue
from tests.chaos.servers import wait_until
from tests.chaos.shell_catalog import LANGUAGE_ID
from tests.chaos.storm_farm import NoTarget, StormFarm

MOST = 6
QUEUES = tuple(KEY_PREFIX + name(LANGUAGE_ID) for name in (agent_queue, grade_queue))


def lose_messages(farm: StormFarm) -> str:
    """Take some messages out, for good."""
    with _broker(farm) as broker:
        return f"{sum(len(taken) for _, taken in _take(broker))} lost"


def duplicate_messages(farm: StormFarm) -> str:
    """Put some messages in twice: once at once, and once when their first has been worked on."""
    with _broker(farm) as broker:
        taken = _take(broker)
        for queue, messages in taken:
            broker.rpush(queue, *messages, *messages)
        time.sleep(2.0)
        for queue, messages in taken:
            broker.lpush(queue, *messages)
        return f"{sum(len(messages) for _, messages in taken)} came three times"


def delay_messages(farm: StormFarm, seconds: float) -> str:
    """Take some messages out, and hand them in when nobody waits for them any more."""
    with _broker(farm) as broker:
        taken = _take(broker)
        time.sleep(seconds)
        for queue, messages in taken:
            broker.lpush(queue, *messages)
        return f"{sum(len(messages) for _, messages in taken)} were {seconds:g} s late"


@contextmanager
def _broker(farm: StormFarm) -> Generator["redis.Redis"]:
    client = redis.Redis(farm.valkey.host, farm.valkey.port, socket_timeout=5)
    try:
        yield client
    finally:
        client.close()


def _take(broker: "redis.Redis") -> list[tuple[str, list[bytes]]]:
    """Up to MOST messages of each queue. Raises NoTarget where none comes within a moment."""
    found: list[tuple[str, list[bytes]]] = []

    def some() -> bool:
        for queue in QUEUES:
            messages = broker.rpop(queue, MOST)
            if messages:
                found.append((queue, messages))
        return bool(found)

    try:
        wait_until(some, "a message in a queue", 5.0)
    except (TimeoutError, RedisError):
        raise NoTarget from None
    return found
