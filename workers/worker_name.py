"""The name of a worker: one living process on this host for each."""

import hashlib
import os
import re
import socket
from itertools import count

from models.errors import InputFault, InvalidInput

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}(@[A-Za-z0-9][A-Za-z0-9._-]{0,62})?")
"""What stands in rows, queues' names and paths alike."""


class ClaimedName:
    """A name that nobody else on this host can claim until this process has ended.

    The kernel gives it back with the process, however that ends: a worker that is started again
    has the name that it had. Forked children let go of it at once, since they may live longer.
    """

    def __init__(self, name: str, guard: socket.socket) -> None:
        self.name = name
        self._guard = guard
        os.register_at_fork(after_in_child=guard.close)

    def release(self) -> None:
        """Give the name back."""
        self._guard.close()


def claim_name(farm: str, wanted: str) -> ClaimedName:
    """`wanted`, with this host's name where it names none; `-2`, `-3`, … when it is taken.

    `farm` is the address of the farm's database: every farm has names of its own. Raises
    InvalidInput for a name that can't be one.
    """
    if not NAME.fullmatch(wanted):
        remedy = "letters, digits, `.`, `_` and `-`, at most 63 of them before and after an @"
        raise InvalidInput("worker", [InputFault("--name", f"{wanted!r} is no name", remedy)])
    role, _, host = wanted.partition("@")
    host = host or socket.gethostname()
    for number in count(1):
        name = f"{role}@{host}" if number == 1 else f"{role}-{number}@{host}"
        if (guard := _guard_of(farm, name)) is not None:
            return ClaimedName(name, guard)
    raise AssertionError("there is always another number")


def _guard_of(farm: str, name: str) -> socket.socket | None:
    """An address in the abstract namespace of unix sockets, which only one process can hold."""
    digest = hashlib.sha256(f"{farm}\0{name}".encode()).hexdigest()[:32]
    guard = socket.socket(socket.AF_UNIX)
    try:
        guard.bind(f"\0gradefarm-worker-{digest}")
    except OSError:
        guard.close()
        return None
    return guard
