"""The parts of Celery and kombu that the farm uses, typed, since neither ships types."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, TypedDict, Unpack


class BatchingProducer(Protocol):
    """A channel that publishes; `batch` gathers publishes into pipelines."""

    def batch(self, *, max_size: int) -> AbstractContextManager[object]: ...


class Signal(Protocol):
    """Something that happens in a worker; receivers are called with keyword arguments."""

    def connect(self, receiver: Callable[..., None], *, weak: bool) -> object: ...


class ProducerPool(Protocol):
    """Producers over pooled connections."""

    def acquire(self, *, block: bool) -> AbstractContextManager[BatchingProducer]: ...


class SendOptions(TypedDict):
    """How one job is sent. The two `repr` keys are what monitors show of its arguments."""

    kwargs: dict[str, int]
    kwargsrepr: str
    argsrepr: str
    task_id: str
    queue: str
    producer: BatchingProducer
    ignore_result: bool
    retry: bool


class WorkerOptions(TypedDict):
    """How a Celery worker is run; the names are Celery's."""

    hostname: str
    queues: tuple[str, ...]
    concurrency: int
    pool_cls: str
    consumer_cls: str
    loglevel: int
    quiet: bool
    task_events: bool
    without_gossip: bool
    without_mingle: bool


class WorkerTimer(Protocol):
    """Calls things from the event loop of a worker."""

    def call_repeatedly(self, secs: float, fun: Callable[[], None]) -> object: ...


class WorkerConsumer(Protocol):
    """The part of a running worker that takes messages from queues."""

    @property
    def timer(self) -> WorkerTimer: ...

    def add_task_queue(self, queue: str) -> None: ...

    def cancel_task_queue(self, queue: str) -> None: ...


class WaitingConsumer(Protocol):
    """A consumer that tells about once a second that it has no broker."""

    while_waiting: Callable[[], None] | None


class CeleryWorker(Protocol):
    """A worker; `start` returns when it was told to end."""

    @property
    def exitcode(self) -> int | None: ...

    @property
    def consumer(self) -> WaitingConsumer: ...

    def start(self) -> None: ...


class ConsumedQueues(Protocol):
    """The queues of an application, of which some are consumed from."""

    def deselect(self, exclude: Sequence[str]) -> None: ...


class Amqp(Protocol):
    """What an application knows of its queues."""

    @property
    def queues(self) -> ConsumedQueues: ...


class CeleryApp(Protocol):
    """A configured application."""

    @property
    def producer_pool(self) -> ProducerPool: ...

    @property
    def amqp(self) -> Amqp: ...

    def send_task(self, name: str, **options: Unpack[SendOptions]) -> object: ...

    def task(self, *, name: str, shared: bool) -> Callable[[Callable[..., None]], object]: ...

    def set_current(self) -> None: ...

    def Worker(self, **options: Unpack[WorkerOptions]) -> CeleryWorker: ...  # noqa: N802 - Celery's

    def close(self) -> None: ...
