"""What the farm's processes have to tell their operator: one JSON object a line, or text.

Every line has `time` (ISO 8601, UTC), `level`, `event` and the `role` of its process, workers
their name as `worker`; where they are known `run`, `token`, `campaign` and `stage`, by which a run
is followed through all logs. No secret and nothing hidden is handed to it.
"""

import json
import logging
import sys
from typing import TextIO

from models.clock import as_iso

FIELDS = "fields"
"""The key of `extra` under which a log call gives what identifies its event."""
OWN = "message"
"""The event of a record that names none, as those of libraries: its text says what happened."""
OWN_PACKAGES = ("models", "scheduler", "tasks_catalog", "workers")


class EventFormatter(logging.Formatter):
    """Formats records of the farm's own code and of libraries alike."""

    def __init__(self, role: str, *, as_text: bool) -> None:
        super().__init__()
        self._process: dict[str, object] = {"role": role}
        self._as_text = as_text

    def name_worker(self, name: str) -> None:
        """Every later line carries the worker's name."""
        self._process["worker"] = name

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        fields: dict[str, object] = dict(getattr(record, FIELDS, {}))
        event = str(fields.pop("event", OWN))
        if event == OWN:
            fields = {"logger": record.name, "text": record.getMessage(), **fields}
        if record.exc_info:
            fields["trace"] = self.formatException(record.exc_info)
        head = {"time": as_iso(record.created), "level": record.levelname.lower(), "event": event}
        if self._as_text:
            return _text(head, fields)
        return json.dumps({**head, **self._process, **fields}, default=str)


def _text(head: dict[str, str], fields: dict[str, object]) -> str:
    told = " ".join(
        str(value) if name == "text" else f"{name}={value}"
        for name, value in fields.items()
        if name != "logger"
    )
    event = "" if head["event"] == OWN else f" {head['event']}"
    return f"{head['time']} {head['level'].upper()}{event} {told}".rstrip()


def begin_log(role: str, form: str, *, to: TextIO | None = None) -> EventFormatter:
    """Let all that this process logs go to standard error, as `form` says: `json`, `text`, or
    `auto`, which is text on a terminal."""
    stream = sys.stderr if to is None else to
    as_text = form == "text" or (form == "auto" and stream.isatty())
    formatter = EventFormatter(role, as_text=as_text)
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    for package in OWN_PACKAGES:
        logging.getLogger(package).setLevel(logging.INFO)
    return formatter


def event(name: str, **fields: object) -> dict[str, object]:
    """The `extra` of a log call about an event of the farm."""
    return {FIELDS: {"event": name, **fields}}
