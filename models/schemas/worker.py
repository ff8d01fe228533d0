"""A worker as it reports itself."""

from models.schemas.base import Schema

BEAT_EVERY_S = 10.0
"""How often a worker writes that it is alive. Has nothing to do with the beat of leases."""
PRESUMED_DEAD_S = 3 * BEAT_EVERY_S
"""A worker that was silent for so long is taken to be gone."""


class WorkerRecord(Schema):
    """One worker: where it runs, what it serves, what it can do. Times in epoch seconds.

    `toolchains` maps a language id to the version found; `isolation` names the sandbox driver
    with its level. `warming` languages are being made ready: their queues are served soon.
    `resting` ones are not served for a while, after too many voids in a row.
    """

    name: str
    host: str
    pid: int
    roles: tuple[str, ...]
    queues: tuple[str, ...]
    slots: int
    toolchains: dict[str, str]
    warming: tuple[str, ...] = ()
    resting: tuple[str, ...] = ()
    isolation: str
    started_at: float
    beat_at: float

    @property
    def able(self) -> frozenset[str]:
        """The languages that this worker serves or is about to serve."""
        return frozenset((*self.toolchains, *self.warming))
