"""One run with all that was tried for it."""

from models.schemas.base import Schema
from models.schemas.model_replies import ModelReplies
from models.schemas.run_view import AttemptView, RunView


class RunDetails(Schema):
    """A run, its attempts from the oldest on, and the run that it grades again, if any.

    `replies` is None for systems whose replies nobody counts, and as long as none has ended.
    """

    run: RunView
    attempts: tuple[AttemptView, ...]
    source_run: int | None
    replies: ModelReplies | None = None
