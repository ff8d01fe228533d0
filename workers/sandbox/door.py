"""The one way out of a sandbox that may have one."""

from __future__ import annotations

from typing import Protocol


class Door(Protocol):
    """Listens inside the network of a sandboxed program, from outside."""

    def open_in(self, pid: int, *, own_network: bool) -> None:
        """Listen in the network of the process `pid`, which has not started its program yet.

        Without a network of its own the door is open already. Raises OSError.
        """
        ...

    def paused_s(self) -> float:
        """For how many seconds since it was opened no clock of the program went on."""
        ...

    def shut(self) -> None:
        """Take no more connections in there; what is connected may end. May be said again."""
        ...
