"""What the API tells its operator: one JSON object a line. Never a token."""

import json
import logging

log = logging.getLogger("gradefarm.api")


def log_event(event: str, at: float, **fields: object) -> None:
    """Write one event: `at` in epoch seconds, and whatever identifies it."""
    record = {"at": round(at, 3), "event": event, **fields}
    log.info(json.dumps(record, default=str))


def log_trouble(event: str, error: Exception) -> None:
    """Write an error with its traceback."""
    record = {"event": event, "error": type(error).__name__}
    log.error(json.dumps(record), exc_info=error)
