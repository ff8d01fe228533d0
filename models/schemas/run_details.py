"""One run with all that was tried for it."""

from pydantic import Field

from models.schemas.base import Schema
from models.schemas.run_view import AttemptView, RunView
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


class RunDetails(Schema):
    """A run, its attempts from the oldest on, and the run that it grades again, if any.

    `replies` is None for systems whose replies nobody counts, and where they can't be read.
    """

    run: RunView
    attempts: tuple[AttemptView, ...]
    source_run: int | None
    replies: ModelReplies | None = None
