"""Who works for a farm, and at what."""

from models.schemas.base import Schema
from models.schemas.worker import WorkerRecord, WorkerState


class WorkForce(Schema):
    """The workers that are alive, what each does, and the labels of the runs that each has in work,
    by its name.

    `hint`: in words, what keeps the farm from working; empty where nothing does.
    """

    workers: tuple[WorkerRecord, ...]
    states: dict[str, WorkerState]
    in_work: dict[str, tuple[str, ...]]
    hint: str


class WorkersTold(Schema):
    """The whole names of the workers that were told something."""

    names: tuple[str, ...]
