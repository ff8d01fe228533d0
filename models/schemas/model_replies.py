"""What became of the replies of language models: of a run's, and of a system's in all runs."""

from typing import Literal

from pydantic import Field, NonNegativeInt, PositiveInt

from models.schemas.base import Schema
from models.schemas.transcript import Fate

ToldBy = Literal["farm", "agent", "recording"]
"""Who counted replies: the farm's own agent; a program, which nobody looked over; or whoever made
the recording that was fed again, so that no model was asked in this run."""


class ModelReplies(Schema):
    """What became of the replies of a run's language model, of which none is left out.

    `fates` counts them, None where nobody told, which is not zero. `measured`: whether the visible
    tests were looked at after every turn; `first_solved_turn` is the first turn that left a changed
    workspace in which they pass, None where none did or nobody looked. `noticed` says that the run
    ended because it was done.
    """

    told_by: ToldBy = "farm"
    fates: dict[Fate, int] | None
    measured: bool
    first_solved_turn: int | None = None
    noticed: bool


class SystemReplies(Schema):
    """The replies of one system in its graded runs.

    `fates` has a count for every fate, over all but the `untold` runs, of which nobody knows; None
    where those are all. `solved` of `measured` runs passed the visible tests on changed files at
    some turn; `unnoticed` counts those of them that went on until something else ended them, by
    the first turn that solved it.
    """

    system: str
    system_id: str
    told_by: ToldBy
    runs: PositiveInt
    untold: NonNegativeInt
    fates: dict[Fate, NonNegativeInt] | None
    measured: NonNegativeInt
    solved: NonNegativeInt
    unnoticed: dict[int, PositiveInt] = Field(default_factory=dict[int, PositiveInt])
