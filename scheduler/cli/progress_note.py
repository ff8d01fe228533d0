"""A line on standard error that says what a long command is doing, where somebody looks."""

import sys
import time
from types import TracebackType

EVERY_S = 0.2
WIDTH = 60


class ProgressNote:
    """Shows the latest note on a terminal, and wipes it at the end; silent elsewhere."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()
        self._at = 0.0

    def __enter__(self) -> "ProgressNote":
        """Begin."""
        return self

    def tell(self, note: str) -> None:
        """Show `note`, unless another one was shown a moment ago."""
        if self._shown and time.monotonic() - self._at > EVERY_S:
            self._at = time.monotonic()
            print(f"\r{note[:WIDTH]:<{WIDTH}}", end="", file=sys.stderr, flush=True)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Wipe it."""
        if self._shown:
            print(f"\r{'':<{WIDTH}}\r", end="", file=sys.stderr, flush=True)
