"""The parts of Celery and kombu that the farm uses, typed, since neither ships types."""

from collections.abc import Callable
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


class CeleryApp(Protocol):
    """A configured application."""

    @property
    def producer_pool(self) -> ProducerPool: ...

    def send_task(self, name: str, **options: Unpack[SendOptions]) -> object: ...

    def task(self, *, name: str, shared: bool) -> Callable[[Callable[..., None]], object]: ...

    def set_current(self) -> None: ...

    def worker_main(self, argv: list[str]) -> None: ...

    def close(self) -> None: ...
