"""A worker as it reports itself, and what it was told to do."""

from enum import StrEnum

from pydantic import Field, FiniteFloat

from models.protocol import PROTOCOL
from models.schemas.base import Schema
from models.verdicts import BLAMED, Component, VoidCategory

BEAT_EVERY_S = 10.0
"""How often a worker writes that it is alive. Has nothing to do with the beat of leases."""
PRESUMED_DEAD_S = 3 * BEAT_EVERY_S
"""A worker that was silent for so long is taken to be gone."""
MOST_SLOTS = 1_000_000


class Duty(StrEnum):
    """What a worker is to do. Both of the others take no new work and finish what they have."""

    SERVE = "serve"
    DRAIN = "drain"
    QUARANTINE = "quarantine"


class WorkerState(StrEnum):
    """What a worker does, in one word. `resting`: it serves none of its languages for a while.

    `draining` still finishes what it has, `drained` has nothing any more. `ending` was told to
    stop; `outdated` is of another version than the farm.
    """

    SERVING = "serving"
    RESTING = "resting"
    DRAINING = "draining"
    DRAINED = "drained"
    QUARANTINED = "quarantined"
    ENDING = "ending"
    OUTDATED = "outdated"


class WorkerOrders(Schema):
    """What a worker was told to do: by whom (`operator`, or `worker` for itself), why, and when
    (epoch seconds)."""

    duty: Duty = Duty.SERVE
    reason: str = ""
    by: str = ""
    since: FiniteFloat = 0.0


class LanguageRest(Schema):
    """Why a worker does not serve a language for a while. Times in epoch seconds.

    `voids` stages in a row were void, the last one with `category` and `detail`; `rests` counts
    the rests without one result in between.
    """

    language: str
    voids: int
    category: VoidCategory
    detail: str
    rests: int
    since: FiniteFloat
    again_at: FiniteFloat

    @property
    def component(self) -> Component:
        """The part of the farm that the last void is blamed on."""
        return BLAMED[self.category]


class WorkerRecord(Schema):
    """One worker: where it runs, what it serves, what it can do. Times in epoch seconds.

    `toolchains` maps a language id to the version found; `isolation` names the sandbox driver
    with its level. `warming` languages are being made ready: their queues are served soon.
    `resting` ones are not served for a while, after too many voids in a row; `rests` says why.
    `orders` is what it was told, `obeys` what it does by now. `result_at` is when a stage of its
    last had a result.
    """

    name: str
    host: str
    pid: int
    roles: tuple[str, ...]
    queues: tuple[str, ...]
    slots: int = Field(ge=0, le=MOST_SLOTS)
    toolchains: dict[str, str]
    warming: tuple[str, ...] = ()
    resting: tuple[str, ...] = ()
    rests: tuple[LanguageRest, ...] = ()
    isolation: str
    protocol: int = 1
    obeys: Duty = Duty.SERVE
    ending: bool = False
    orders: WorkerOrders = WorkerOrders()
    result_at: FiniteFloat = 0.0
    started_at: FiniteFloat
    beat_at: FiniteFloat

    @property
    def able(self) -> frozenset[str]:
        """The languages that this worker serves or is about to serve."""
        return frozenset((*self.toolchains, *self.warming))

    @property
    def may_be_busy(self) -> bool:
        """Whether it has not heard yet that it is to take no work."""
        return bool(self.queues) or self.obeys is Duty.SERVE

    def state(self, in_work: int) -> WorkerState:
        """What it does, with so many of its stages at work."""
        if self.orders.duty is Duty.QUARANTINE:
            return WorkerState.QUARANTINED
        if self.ending:
            return WorkerState.ENDING
        if self.protocol != PROTOCOL:
            return WorkerState.OUTDATED
        if self.orders.duty is Duty.DRAIN:
            done = self.obeys is Duty.DRAIN and not in_work
            return WorkerState.DRAINED if done else WorkerState.DRAINING
        resting = self.resting and not self.toolchains
        return WorkerState.RESTING if resting else WorkerState.SERVING
