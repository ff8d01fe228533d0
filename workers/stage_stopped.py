"""The one way in which a stage ends before its time without saying anything about its run."""

from models.errors import FarmError


class StageStopped(FarmError):
    """The lease is gone, the run was cancelled, or the worker must end: write no result."""
