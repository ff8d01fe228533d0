"""A worker as it reports itself."""

from models.schemas.base import Schema


class WorkerRecord(Schema):
    """One worker: where it runs, what it serves, what it can do. Times in epoch seconds.

    `toolchains` maps a language id to the version found; `isolation` names the sandbox driver
    with its level. `warming` languages are being made ready: their queues are served soon.
    """

    name: str
    host: str
    pid: int
    roles: tuple[str, ...]
    queues: tuple[str, ...]
    slots: int
    toolchains: dict[str, str]
    warming: tuple[str, ...] = ()
    isolation: str
    started_at: float
    beat_at: float

    @property
    def able(self) -> frozenset[str]:
        """The languages that this worker serves or is about to serve."""
        return frozenset((*self.toolchains, *self.warming))
