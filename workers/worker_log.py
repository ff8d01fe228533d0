"""One JSON object a line on standard error: what a worker has to tell its operator."""

import json
import sys
import traceback
from pathlib import Path


def log_event(event: str, at: float, **fields: object) -> None:
    """Write one line: `at` (epoch seconds), `event`, and whatever identifies it."""
    record = {"at": round(at, 3), "event": event, **fields}
    print(json.dumps(record, default=str), file=sys.stderr, flush=True)


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
