"""Where everything too large for a row is kept, named by its content."""

import errno
import hashlib
import os
import secrets
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Protocol, cast

from models.errors import Infrastructure, NotFound
from models.identifiers import Digest

NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
DRAFTS = "drafts"
DRAFT_AGE_S = 86_400.0
"""Nothing takes a day to write: who began an older draft is gone."""

CHUNK = 1 << 20

Chunks = Callable[[], Iterable[bytes]]
"""The bytes of something large, from the beginning at each call."""


class ArtifactStore(Protocol):
    """A store of immutable bytes. Putting the same bytes twice is one artifact."""

    def put(self, data: bytes) -> Digest: ...

    def put_chunks(self, chunks: Chunks) -> Digest: ...

    def get(self, digest: str) -> bytes: ...

    def open(self, digest: str) -> BinaryIO: ...

    def has(self, digest: str) -> bool: ...


class PrunableStore(Protocol):
    """A store of which old artifacts can be listed, with their sizes in bytes, and removed."""

    def stale(self, before: float) -> Iterator[tuple[str, int]]: ...

    def remove(self, digest: str) -> None: ...


class FolderArtifacts:
    """Artifacts as files: `<root>/<first two hex digits>/<hex digits>`.

    Where others than the farm's own graders may write to `root` it is `foreign`: what is read is
    then copied, so that nobody changes it after it was compared with its name.
    """

    def __init__(self, root: Path, *, foreign: bool = False) -> None:
        self._root = root
        self._foreign = foreign

    def put(self, data: bytes) -> Digest:
        """Keep `data`. Readers see the whole artifact or none.

        Raises Infrastructure when it can't be written: disk_full, or unknown.
        """
        return self.put_chunks(lambda: (data,))

    def put_chunks(self, chunks: Chunks) -> Digest:
        """Keep what `chunks` gives, asked once for its name and once, if it is new, to write it.

        Raises as `put`; what `chunks` raises goes through, except that its OSErrors while
        writing count as the store's.
        """
        digest = digest_of_chunks(chunks())
        path = self._path(digest)
        if not _holds(path, digest):
            self._write(path, chunks)
        else:
            # It is wanted now: pruning goes by age.
            with suppress(OSError):
                os.utime(path)
        return digest

    def _write(self, path: Path, chunks: Chunks) -> None:
        draft = self._root / DRAFTS / f"{path.name}.{secrets.token_hex(8)}"
        is_first = not path.parent.is_dir()
        try:
            for folder in (draft.parent, path.parent):
                folder.mkdir(parents=True, exist_ok=True)
            with draft.open("xb") as file:
                file.writelines(chunks())
                file.flush()
                os.fsync(file.fileno())
            draft.replace(path)
            _sync_folder(path.parent)
            if is_first:
                _sync_folder(self._root)
        except OSError as error:
            raise Infrastructure(
                "disk_full" if error.errno in NO_ROOM else "unknown",
                f"{path} can't be written: {error.strerror}.",
                remedy="Make room below GRADEFARM_ARTIFACTS_URL, or give it another place.",
            ) from error
        finally:
            with suppress(OSError):
                draft.unlink()

    def get(self, digest: str) -> bytes:
        """The bytes of `digest`. Raises as `open`."""
        with self.open(digest) as file:
            return file.read()

    def open(self, digest: str) -> BinaryIO:
        """The artifact `digest` as a file, compared with its name and standing at the beginning.

        Raises NotFound when there is none, Infrastructure when it is not what was put.
        """
        path = self._path(digest)
        try:
            file = _open_regular(path)
        except FileNotFoundError:
            raise NotFound(
                f"artifact {digest} is not in {self._root}.",
                remedy="Check GRADEFARM_ARTIFACTS_URL: every part of a farm needs the same store.",
            ) from None
        except OSError as error:
            raise Infrastructure(
                "unknown",
                f"{path} can't be read: {error.strerror}.",
                remedy="Make it a file that this user can read.",
            ) from error
        if self._foreign:
            with file:
                return verified_copy(digest, chunks_of(file), str(path))
        if digest != digest_of_chunks(chunks_of(file)):
            file.close()
            raise damaged(str(path))
        file.seek(0)
        return file

    def sweep(self, now: float) -> None:
        """Remove the drafts of processes that are gone. `now` is in epoch seconds."""
        drafts = self._root / DRAFTS
        for draft in drafts.iterdir() if _is_own_folder(drafts) else ():
            with suppress(OSError):
                if draft.stat().st_mtime < now - DRAFT_AGE_S:
                    draft.unlink()

    def has(self, digest: str) -> bool:
        """Whether the store holds `digest`."""
        return self._path(digest).exists()

    def holds(self, digest: str) -> bool:
        """Whether the store holds `digest` whole: reads it."""
        return _holds(self._path(digest), digest)

    def stale(self, before: float) -> Iterator[tuple[str, int]]:
        """Every artifact last written before `before` (epoch seconds), with its size in bytes."""
        for folder in filter(_is_own_folder, self._root.glob("[0-9a-f][0-9a-f]")):
            for path in folder.iterdir():
                status = path.stat(follow_symlinks=False)
                is_file = is_name(path.name) and stat.S_ISREG(status.st_mode)
                if is_file and status.st_mtime < before:
                    yield f"sha256:{path.name}", status.st_size

    def remove(self, digest: str) -> None:
        """Remove an artifact; nothing happens where there is none. Raises Infrastructure."""
        path = self._path(digest)
        if not _is_own_folder(path.parent):
            return
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise Infrastructure(
                "unknown",
                f"{path} can't be removed: {error.strerror}.",
                remedy="Prune as a user that may write there.",
            ) from error

    def _path(self, digest: str) -> Path:
        return self._root / place_of(digest)


def place_of(digest: str) -> str:
    """Where an artifact lies in its store. Raises NotFound for what is no digest."""
    kind, _, name = digest.partition(":")
    if kind != "sha256" or not is_name(name):
        raise NotFound(
            f"{digest!r} is not the digest of an artifact.",
            remedy="Give sha256: and 64 lower-case hexadecimal digits.",
        )
    return f"{name[:2]}/{name}"


def is_name(name: str) -> bool:
    """Whether `name` is what an artifact is called in its store."""
    return len(name) == 64 and set(name) <= set("0123456789abcdef")


def damaged(place: str) -> Infrastructure:
    """What is said of an artifact whose bytes are not those that it is named by."""
    return Infrastructure(
        "unknown",
        f"{place} was changed after it was stored.",
        remedy="Restore it from a backup, or run again: putting the same bytes mends it.",
    )


def verified_copy(digest: str, chunks: Iterable[bytes], place: str) -> BinaryIO:
    """A private temporary file with the bytes of `digest`, standing at its beginning.

    Raises Infrastructure where `chunks` are not those bytes, and OSError where there is no room.
    """
    copy = cast("BinaryIO", tempfile.TemporaryFile(prefix="gradefarm-artifact-"))  # noqa: SIM115
    try:
        hashed = hashlib.sha256()
        for chunk in chunks:
            hashed.update(chunk)
            copy.write(chunk)
        if digest != f"sha256:{hashed.hexdigest()}":
            raise damaged(place)
        copy.seek(0)
    except BaseException:
        copy.close()
        raise
    return copy


def _is_own_folder(folder: Path) -> bool:
    """Whether it is a folder and no link to one: others may write to a store of agents."""
    return folder.is_dir() and not folder.is_symlink()


def _open_regular(path: Path) -> BinaryIO:
    """Open a file without following a link or waiting for the other end of a pipe."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is not a regular file")
    return os.fdopen(descriptor, "rb")


def digest_of_chunks(chunks: Iterable[bytes]) -> Digest:
    """The name of the artifact whose bytes these are."""
    hashed = hashlib.sha256()
    for chunk in chunks:
        hashed.update(chunk)
    return Digest(f"sha256:{hashed.hexdigest()}")


def chunks_of(file: BinaryIO) -> Iterator[bytes]:
    """The bytes from where `file` stands, in parts that fit into memory."""
    while chunk := file.read(CHUNK):
        yield chunk


def _holds(path: Path, digest: str) -> bool:
    """Whether the artifact is there and whole: a damaged one is written again."""
    try:
        with path.open("rb") as file:
            return digest_of_chunks(chunks_of(file)) == digest
    except OSError:
        return False


def _sync_folder(folder: Path) -> None:
    """Rows point at artifacts: a name must be on the disk before they are."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
