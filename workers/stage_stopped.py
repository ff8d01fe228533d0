"""The one way in which a stage ends before its time without saying anything about its run."""

from collections.abc import Callable

from models.errors import FarmError


class StageStopped(FarmError):
    """The lease is gone, the run was cancelled, or the worker must end: write no result."""


def stop_when(cancelled: Callable[[], bool]) -> Callable[[], None]:
    """A checkpoint for long work: it raises StageStopped once `cancelled` says so."""

    def checkpoint() -> None:
        if cancelled():
            raise StageStopped("the stage was stopped from outside.")

    return checkpoint
