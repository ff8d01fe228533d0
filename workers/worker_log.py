"""What a worker has to tell its operator: one event a line on standard error."""

import logging
import traceback
from pathlib import Path

from models.event_log import event as fields_of

log = logging.getLogger(__name__)


def log_event(event: str, at: float, **fields: object) -> None:
    """Write one line: `at` (epoch seconds), `event`, and whatever identifies it."""
    about = fields_of(event, **fields)
    record = log.makeRecord(log.name, logging.WARNING, __file__, 0, event, (), None, extra=about)
    record.created = at
    log.handle(record)


def safe_text(error: BaseException) -> str:
    """The kind of an unexpected error and the place in the farm's code, without its message.

    Messages of unexpected errors may quote hidden material, and attempts are read by people
    who must not see it.
    """
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{place}"


def full_trace(error: BaseException) -> str:
    """The whole traceback, for the log of a machine that holds the material anyway."""
    return "".join(traceback.format_exception(error))
