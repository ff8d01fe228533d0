"""Where everything too large for a row is kept, named by its content."""

import errno
import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote, urlsplit

from models.canonical import digest_of_bytes
from models.errors import Infrastructure, InputFault, InvalidInput, NotFound
from models.identifiers import Digest

NO_ROOM = (errno.ENOSPC, errno.EDQUOT)


class ArtifactStore(Protocol):
    """A store of immutable bytes. Putting the same bytes twice is one artifact."""

    def put(self, data: bytes) -> Digest: ...

    def get(self, digest: str) -> bytes: ...

    def has(self, digest: str) -> bool: ...


class FolderArtifacts:
    """Artifacts as files: `<root>/<first two hex digits>/<hex digits>`."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def put(self, data: bytes) -> Digest:
        """Keep `data`. Readers see the whole artifact or none.

        Raises Infrastructure when it can't be written: disk_full, or unknown.
        """
        digest = digest_of_bytes(data)
        path = self._path(digest)
        if path.exists():
            return digest
        draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with draft.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(path)
        except OSError as error:
            with suppress(OSError):
                draft.unlink()
            raise Infrastructure(
                "disk_full" if error.errno in NO_ROOM else "unknown",
                f"{path} can't be written: {error.strerror}.",
                remedy="Make room below GRADEFARM_ARTIFACTS_URL, or give it another place.",
            ) from error
        return digest

    def get(self, digest: str) -> bytes:
        """The bytes of `digest`.

        Raises NotFound when there are none, Infrastructure when they are not what was put.
        """
        path = self._path(digest)
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            raise NotFound(
                f"artifact {digest} is not in {self._root}.",
                remedy="Check GRADEFARM_ARTIFACTS_URL: every part of a farm needs the same store.",
            ) from None
        if digest_of_bytes(data) != digest:
            raise Infrastructure(
                "unknown",
                f"{path} was changed after it was stored.",
                remedy="Restore the file from a backup, or delete it and run again.",
            )
        return data

    def has(self, digest: str) -> bool:
        """Whether the store holds `digest`."""
        return self._path(digest).exists()

    def _path(self, digest: str) -> Path:
        kind, _, name = digest.partition(":")
        if kind != "sha256" or len(name) != 64 or not set(name) <= set("0123456789abcdef"):
            raise NotFound(
                f"{digest!r} is not the digest of an artifact.",
                remedy="Give sha256: and 64 lower-case hexadecimal digits.",
            )
        return self._root / name[:2] / name


def open_artifacts(url: str) -> ArtifactStore:
    """The store at `url`: `file://<absolute folder>`. Raises InvalidInput for other kinds."""
    parts = urlsplit(url)
    if parts.scheme == "file" and parts.path.startswith("/") and not parts.netloc:
        return FolderArtifacts(Path(unquote(parts.path)))
    fault = InputFault(
        "GRADEFARM_ARTIFACTS_URL",
        f"{url!r} is not a store that the farm can use",
        "give file:// and an absolute folder",
    )
    raise InvalidInput("the environment", [fault])
