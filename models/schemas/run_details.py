"""One run with all that was tried for it."""

from models.schemas.base import Schema
from models.schemas.run_view import AttemptView, RunView


class RunDetails(Schema):
    """A run, its attempts from the oldest on, and the run that it grades again, if any."""

    run: RunView
    attempts: tuple[AttemptView, ...]
    source_run: int | None
