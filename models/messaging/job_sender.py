"""Rings the doorbell: hands hints about waiting stages to the broker."""

from collections.abc import Sequence

from kombu.exceptions import KombuError
from redis.exceptions import RedisError

from models.counted_nouns import counted
from models.errors import FarmError, NotFound
from models.messaging.celery_factory import build_celery
from models.messaging.messages import StageMessage, job_name
from models.messaging.queues import all_queues

BATCH = 500
PATIENCE_S = 5.0
"""Below a scheduler's term: one that hangs on a silent broker must not lose its office over it."""


class BrokerUnavailable(FarmError):
    """The broker did not take a message; the rows remember it, so sending again is enough."""

    retryable = True
    exit_code = 5


class JobSender:
    """Sends messages over one pooled connection. Not for use by several threads at once."""

    def __init__(self, broker_url: str, languages: tuple[str, ...]) -> None:
        self._app = build_celery(broker_url, languages, answer_s=PATIENCE_S)
        self._queues = frozenset(all_queues(languages))

    def send(self, messages: Sequence[StageMessage]) -> None:
        """Hand over all `messages`.

        Raises BrokerUnavailable when the broker refused; some may have arrived by then.
        Raises NotFound, before anything is sent, for a language that the farm does not have.
        """
        for message in messages:
            if message.queue not in self._queues:
                raise NotFound(
                    f"run {message.run_id}: the farm has no queue {message.queue}.",
                    remedy=f"Add a definition of {message.language} to GRADEFARM_LANGUAGES.",
                )
        if not messages:
            return
        try:
            self._publish(messages)
        except (KombuError, RedisError, OSError) as error:
            raise BrokerUnavailable(
                f"the broker did not take {counted(len(messages), 'message')}: "
                f"{type(error).__name__}.",
                remedy="Start the broker or check GRADEFARM_BROKER_URL; the next tick sends again.",
            ) from error

    def _publish(self, messages: Sequence[StageMessage]) -> None:
        pool = self._app.producer_pool
        with pool.acquire(block=True) as producer, producer.batch(max_size=BATCH):
            for message in messages:
                self._app.send_task(
                    job_name(message.stage),
                    kwargs=message.arguments,
                    kwargsrepr=message.shown_arguments,
                    argsrepr="()",
                    task_id=message.job_id,
                    queue=message.queue,
                    producer=producer,
                    ignore_result=True,
                    retry=False,
                )

    def close(self) -> None:
        """Close the connections."""
        self._app.close()
