"""The private keys of this machine: one file for each role, readable for the farm's user only."""

import os
from contextlib import suppress
from pathlib import Path

from models.errors import Infrastructure, NotFound
from models.named_file import read_named
from models.records.signing_keys import KeyRole, SigningKey, key_from_pem

SUFFIX = ".pem"
LARGEST = 64 << 10
"""Bytes of the file of a key, which takes a hundred or two."""


class KeyFolder:
    """`<folder>/<role>.pem`. A key that was exchanged is read again; an unchanged one is not."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[KeyRole, tuple[tuple[int, int, int], SigningKey]] = {}

    def path(self, role: KeyRole) -> Path:
        """Where the key of a role lies, or would."""
        return self._folder / f"{role}{SUFFIX}"

    def find(self, role: KeyRole) -> SigningKey | None:
        """The key of a role, None where this machine has none. Raises InvalidInput for a file that
        holds no key, Infrastructure where it can't be read."""
        path = self.path(role)
        try:
            status = path.stat()
            mark = (status.st_ino, status.st_mtime_ns, status.st_size)
            known = self._read.get(role)
            if known is None or known[0] != mark:
                known = self._read[role] = (
                    mark,
                    key_from_pem(role, read_named(path, LARGEST), str(path)),
                )
        except FileNotFoundError:
            return None
        except OSError as error:
            raise Infrastructure(
                "farm",
                f"{path} can't be read: {error.strerror}.",
                remedy="Let the farm's user read its keys, or point GRADEFARM_KEYS elsewhere.",
            ) from error
        return known[1]

    def get(self, role: KeyRole) -> SigningKey:
        """As `find`. Raises NotFound where there is none."""
        found = self.find(role)
        if found is None:
            raise NotFound(
                f"this machine has no {role} key: {self.path(role)} is not there.",
                remedy="Bring it here, or name the folder that holds it with GRADEFARM_KEYS.",
            )
        return found

    def keep(self, key: SigningKey) -> Path:
        """Write a key in place of the one of its role. Raises OSError."""
        self.prepare(key)
        return self.put_in_place(key.role)

    def prepared(self, role: KeyRole) -> SigningKey | None:
        """The key that `prepare` wrote and that is not in its place yet. Raises InvalidInput."""
        path = self._new(role)
        return key_from_pem(role, read_named(path, LARGEST), str(path)) if path.exists() else None

    def prepare(self, key: SigningKey) -> None:
        """Write a key beside the one of its role. Raises OSError."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        unfinished = self.path(key.role).with_suffix(".unfinished")
        write_key(unfinished, key)
        unfinished.replace(self._new(key.role))

    def put_in_place(self, role: KeyRole) -> Path:
        """Let the prepared key be the one of its role. Raises OSError."""
        return self._new(role).replace(self.path(role))

    def _new(self, role: KeyRole) -> Path:
        return self.path(role).with_suffix(".new")


def write_key(path: Path, key: SigningKey) -> None:
    """Write a key to a file that nobody else can read. Raises OSError."""
    with suppress(FileNotFoundError):
        path.unlink()
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(key.as_pem())
        file.flush()
        os.fsync(file.fileno())
