"""Fresh workspaces: a copy of a small base, an overlay over a large one."""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from workers.sandbox.request import Mount
from workers.sandbox.slots import Slot, remove_tree

# Which of the two a base gets depends on the base alone, never on what ran before.
_MOST_COPIED_ENTRIES = 200
_MOST_COPIED_BYTES = 16 * 2**20
_MOST_TEMPLATES = 16
_DETACH = 2
_CHUNK = 2**20


class DirectoryWorkspace:
    """A workspace that is a plain directory, whether copied or mounted."""

    def __init__(self, directory: Path, merged: Path, *, mounted: bool) -> None:
        self._directory = directory
        self._merged = merged
        self._mounted = mounted

    @property
    def merged(self) -> Path:
        """The whole tree as the sandboxed program sees it."""
        return self._merged

    def mount(self, target: str = "/work") -> Mount:
        """The workspace as a writable mount."""
        return Mount(self._merged, target, "rw")

    def close(self) -> None:
        """Remove everything; safe to call twice."""
        if self._mounted:
            _unmount(self._merged)
            self._mounted = False
        remove_tree(self._directory)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class WorkspaceMaker:
    """Makes the workspaces of one slot and keeps a template for each large base."""

    def __init__(self, slot: Slot) -> None:
        self._slot = slot
        self._serial = itertools.count()
        self._templates: dict[tuple[str, int, int, int], Path] = {}
        self.overlays_work = slot.runs_as_root and not set(",:\\") & set(str(slot.directory))

    def make(self, base: Path) -> DirectoryWorkspace:
        """A fresh workspace; `base` must not change while this maker lives. Raises OSError."""
        if self.overlays_work and _is_large(base):
            with contextlib.suppress(OSError):
                return self._overlay(base)
            # No overlay on this file system, or no right to mount: never tried again.
            self.overlays_work = False
        directory = self.new_directory("ws")
        copy_tree(base, directory, self._slot)
        return DirectoryWorkspace(directory, directory, mounted=False)

    def _overlay(self, base: Path) -> DirectoryWorkspace:
        template = self._template(base)
        directory = self.new_directory("ws")
        upper, work, merged = (directory / name for name in ("up", "wk", "ws"))
        for path in (upper, work, merged):
            path.mkdir()
            path.chmod(0o755)
            self._slot.hand_over(path)
        options = f"lowerdir={template},upperdir={upper},workdir={work},redirect_dir=on"
        try:
            _mount_overlay(merged, options)
        except OSError:
            remove_tree(directory)
            raise
        return DirectoryWorkspace(directory, merged, mounted=True)

    def _template(self, base: Path) -> Path:
        """The base once more, owned by the slot's user: an overlay shows owners as they are."""
        state = base.stat()
        key = (str(base.resolve()), state.st_dev, state.st_ino, state.st_mtime_ns)
        template = self._templates.get(key)
        if template is None:
            if len(self._templates) >= _MOST_TEMPLATES:
                remove_tree(self._templates.pop(next(iter(self._templates))))
            template = self.new_directory("tp")
            copy_tree(base, template, self._slot)
            self._templates[key] = template
        return template

    def new_directory(self, kind: str) -> Path:
        """An empty directory of the slot's user below the slot."""
        home = self._slot.directory / kind
        with contextlib.suppress(FileExistsError):
            home.mkdir()
            home.chmod(0o711)
        directory = home / str(next(self._serial))
        directory.mkdir()
        directory.chmod(0o755)
        self._slot.hand_over(directory)
        return directory


def copy_tree(base: Path, target: Path, slot: Slot) -> None:
    """Copy directories, regular files (with their x bit) and links into an existing directory.

    Anything else in `base` is left out. The copies belong to the slot's user. Raises OSError.
    """
    pending = [(str(base), str(target))]
    while pending:
        source, destination = pending.pop()
        with os.scandir(source) as entries:
            for entry in entries:
                place = f"{destination}/{entry.name}"
                if entry.is_symlink():
                    os.symlink(os.readlink(entry.path), place)  # noqa: PTH211, PTH115 (hot path)
                    slot.hand_over(Path(place))
                elif entry.is_dir():
                    os.mkdir(place)  # noqa: PTH102 (hot path)
                    os.chmod(place, 0o755)  # noqa: PTH101 (hot path)
                    slot.hand_over(Path(place))
                    pending.append((entry.path, place))
                elif entry.is_file():
                    _copy_file(entry.path, place, slot)


def _copy_file(source: str, target: str, slot: Slot) -> None:
    reader = os.open(source, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        executable = os.fstat(reader).st_mode & stat.S_IXUSR
        writer = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            while chunk := os.read(reader, _CHUNK):
                while chunk:
                    chunk = chunk[os.write(writer, chunk) :]
            os.fchmod(writer, 0o755 if executable else 0o644)
            slot.hand_over(writer)
        finally:
            os.close(writer)
    finally:
        os.close(reader)


@dataclass(slots=True)
class _Size:
    entries: int = 0
    used_bytes: int = 0

    @property
    def is_large(self) -> bool:
        return self.entries > _MOST_COPIED_ENTRIES or self.used_bytes > _MOST_COPIED_BYTES


def _is_large(base: Path) -> bool:
    size = _Size()
    pending = [str(base)]
    while pending and not size.is_large:
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                size.entries += 1
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                else:
                    size.used_bytes += entry.stat(follow_symlinks=False).st_size
    return size.is_large


def _mount_overlay(target: Path, options: str) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    if library.mount(b"overlay", os.fsencode(target), b"overlay", 0, os.fsencode(options)) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(target))


def _unmount(target: Path) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    if library.umount2(os.fsencode(target), _DETACH) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(target))
