"""What the broker remembers, asked with plain commands of its own protocol."""

import redis
from redis.exceptions import RedisError

from models.messaging.celery_factory import KEY_PREFIX
from models.messaging.job_sender import PATIENCE_S, BrokerUnavailable

EPOCH_KEY = KEY_PREFIX + "epoch"
SOCKET_SCHEME = "redis+socket://"


class RedisMemory:
    """The memory of a Redis or Valkey. Every method raises BrokerUnavailable."""

    def __init__(self, broker_url: str) -> None:
        # redis-py leaves the options of from_url untyped.
        self._redis = redis.Redis.from_url(  # pyright: ignore[reportUnknownMemberType]
            broker_url.replace(SOCKET_SCHEME, "unix://"),
            socket_timeout=PATIENCE_S,
            socket_connect_timeout=PATIENCE_S,
            decode_responses=True,
        )

    def remembers(self, epoch: str) -> bool:
        """Whether the mark that was planted is still there."""
        try:
            return self._redis.get(EPOCH_KEY) == epoch
        except RedisError as error:
            raise _unavailable(error) from error

    def plant(self, epoch: str) -> None:
        """Leave a mark that goes when the broker loses its data."""
        try:
            self._redis.set(EPOCH_KEY, epoch)
        except RedisError as error:
            raise _unavailable(error) from error

    def holds(self, queue: str) -> int:
        """How many messages wait in `queue`."""
        try:
            return self._redis.llen(KEY_PREFIX + queue)
        except RedisError as error:
            raise _unavailable(error) from error


def open_broker_memory(broker_url: str) -> RedisMemory:
    """The memory of the broker at `broker_url`."""
    return RedisMemory(broker_url)


def _unavailable(error: RedisError) -> BrokerUnavailable:
    return BrokerUnavailable(
        f"the broker does not answer: {type(error).__name__}.",
        remedy="Start the broker or check GRADEFARM_BROKER_URL.",
    )
