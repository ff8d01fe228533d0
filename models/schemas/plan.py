"""The plan of a campaign: its cells, and its runs in the order in which they start."""

from typing import NamedTuple

from models.schemas.base import Schema
from models.schemas.campaign import SystemSpec
from models.schemas.task import Variant


class PlannedCell(Schema):
    """One system on one variant, with the queues of its two stages.

    `agent_wall_s` is the longest that an agent may work there; 0 where nobody asked.
    """

    position: int
    system: SystemSpec
    variant: Variant
    agent_queue: str
    grade_queue: str
    agent_wall_s: float = 0.0


class PlannedRun(NamedTuple):
    """The run of repeat `repeat` (from 1) in the cell at `position` (from 0)."""

    position: int
    repeat: int
