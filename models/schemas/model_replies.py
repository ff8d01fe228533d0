"""What became of the replies of language models: of a run's, and of a system's in all runs."""

from pydantic import Field, NonNegativeInt, PositiveInt

from models.schemas.base import Schema
from models.schemas.transcript import Fate


class ModelReplies(Schema):
    """What became of the replies of a run's language model, of which none is left out.

    `fates` counts them, `first_solved_turn` is the first turn that left a changed workspace in
    which the visible tests pass, None where none did; `noticed` says that the run ended because it
    was done.
    """

    fates: dict[Fate, int] = Field(default_factory=dict[Fate, int])
    first_solved_turn: int | None = None
    noticed: bool


class SystemReplies(Schema):
    """The replies of one system in the graded runs that tell of any.

    `fates` has a count for every fate. `solved` runs passed the visible tests on changed files at
    some turn; `unnoticed` counts those of them that went on until something else ended them, by
    the first turn that solved it.
    """

    system: str
    system_id: str
    runs: PositiveInt
    fates: dict[Fate, NonNegativeInt]
    solved: NonNegativeInt
    unnoticed: dict[int, PositiveInt] = Field(default_factory=dict[int, PositiveInt])
