"""A sign of life: a file that a process's main loop touches, and that probes look at.

Imports next to nothing: a probe runs every few seconds on every machine.
"""

import contextlib
import time
from pathlib import Path

TOUCH_EVERY_S = 5.0
SILENT_AFTER_S = 60.0
"""A loop that was not seen for so long hangs."""


class Pulse:
    """Touches the file, at most every few seconds, as often as the main loop comes by."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._beaten_at = 0.0
        self._touched_at = 0.0

    def beat(self) -> None:
        """The main loop came by."""
        self._beaten_at = time.monotonic()
        if self._beaten_at - self._touched_at >= TOUCH_EVERY_S:
            self._touched_at = self._beaten_at
            # A full disk is no reason to end: only a new file needs room.
            with contextlib.suppress(OSError):
                self._file.touch()

    def is_felt(self) -> bool:
        """Whether the main loop came by a short while ago."""
        return time.monotonic() - self._beaten_at < SILENT_AFTER_S

    def end(self) -> None:
        """The process ends in order: nobody is to miss it."""
        with contextlib.suppress(OSError):
            self._file.unlink(missing_ok=True)
