"""The contract that every sandbox driver keeps."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from workers.sandbox.isolation import Isolation
from workers.sandbox.outcome import SandboxOutcome
from workers.sandbox.request import Mount, SandboxRequest


class Workspace(Protocol):
    """A fresh writable copy of a base tree, gone when closed.

    `merged` is a plain directory that the farm can read at any time and freeze after the run; it
    may also be the source of a `ro` or `overlay` mount of a later run in the same sandbox.
    """

    @property
    def merged(self) -> Path:
        """The whole tree as the sandboxed program sees it."""
        ...

    def mount(self, target: str = "/work") -> Mount:
        """The workspace as a writable mount."""
        ...

    def close(self) -> None:
        """Remove everything; safe to call twice."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


class Sandbox(Protocol):
    """Runs one program at a time, each in a view of its own; threads may share it and wait."""

    @property
    def name(self) -> str:
        """The driver's name, as recorded with every result."""
        ...

    def probe(self) -> Isolation:
        """Run canaries and report what is really enforced here; takes under 3 seconds."""
        ...

    def run(self, request: SandboxRequest) -> SandboxOutcome:
        """Run to the end and return how it ended; never raises for what the program does.

        Raises ValueError for a request that no sandbox could run (no argv, clashing mounts).
        """
        ...

    def fresh_workspace(self, base: Path) -> Workspace:
        """A new workspace holding the files of `base`, writable by the sandboxed program."""
        ...

    def close(self) -> None:
        """Give back the slot and end helper processes; the sandbox is not usable afterwards."""
        ...
