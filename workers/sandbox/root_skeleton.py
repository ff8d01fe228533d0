"""The root directory of a sandbox, prepared once and then bound read-only at each launch.

One bind of a prepared tree replaces a dozen single binds, files and links, and so most of the
time that setting up a sandbox takes. It holds mount points, links, the few files of /etc that
programs need, and, where the worker may make them, the device nodes.
"""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from os import mknod
from pathlib import Path
from secrets import token_hex

DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
HOME = "/home/box"
USER_ID = 1000
MEMORY_PLACES = ("/tmp", "/dev/shm", HOME)

_TOP_LINKS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_MOUNT_POINTS = ("usr", "proc", "dev/shm", "tmp", "home/box", "run", "var/tmp", "etc", "work")
_DEVICE_LINKS = {
    "fd": "/proc/self/fd",
    "stdin": "/proc/self/fd/0",
    "stdout": "/proc/self/fd/1",
    "stderr": "/proc/self/fd/2",
}
_WRITTEN_FILES = {
    "passwd": f"root:x:0:0::/:/bin/false\nbox:x:{USER_ID}:{USER_ID}::{HOME}:/bin/sh\n",
    "group": f"root:x:0:\nbox:x:{USER_ID}:\n",
    "hosts": "127.0.0.1 localhost box\n::1 localhost\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
    "hostname": "box\n",
}
# Single entries and never /etc or /etc/ssl as a whole: both hold secrets of the host.
_COPIED_FILES = ("ld.so.cache", "ssl/openssl.cnf", "ssl/certs/ca-certificates.crt")
_COPIED_TREES = ("alternatives",)


@dataclass(frozen=True, slots=True)
class RootSkeleton:
    """A prepared root and what still has to be bound over it."""

    directory: Path
    has_devices: bool
    system_binds: tuple[str, ...]


def prepare_root(scratch: Path, mount_points: Iterable[tuple[str, bool]]) -> RootSkeleton:
    """Build (or find) the root with the given mount points, each a path and whether it is a folder.

    The slots of one scratch directory share it. Raises OSError, also for mount points that clash
    with the fixed part of the tree.
    """
    points = sorted(set(mount_points))
    sources = [Path("/etc", name) for name in (*_COPIED_FILES, *_COPIED_TREES)]
    state = [path.stat().st_mtime_ns if path.exists() else 0 for path in sources]
    digest = hashlib.sha256(repr((points, state)).encode()).hexdigest()[:12]
    directory = scratch / "roots" / digest
    if not directory.is_dir():
        directory.parent.mkdir(mode=0o711, exist_ok=True)
        directory.parent.chmod(0o711)
        _build_at(directory, points)
    binds = tuple(
        f"/{name}" for name in _TOP_LINKS if Path("/", name).is_dir() and not _is_link(name)
    )
    return RootSkeleton(directory, (directory / "dev/null").is_char_device(), ("/usr", *binds))


def _build_at(directory: Path, points: list[tuple[str, bool]]) -> None:
    """Build aside and move into place; a second builder may have been faster."""
    # Sandboxes of one process build at the same time too: the process id would not tell them apart.
    building = directory.with_name(f"{directory.name}.{token_hex(6)}")
    try:
        _build(building, points)
        building.rename(directory)
    except OSError:
        shutil.rmtree(building, ignore_errors=True)
        if not directory.is_dir():
            raise


def _build(root: Path, points: list[tuple[str, bool]]) -> None:
    for name in _MOUNT_POINTS:
        (root / name).mkdir(parents=True)
    for name in _TOP_LINKS:
        if _is_link(name):
            (root / name).symlink_to(Path("/", name).readlink())
        elif Path("/", name).is_dir():
            (root / name).mkdir()
    _fill_etc(root / "etc")
    _fill_dev(root / "dev")
    for target, is_folder in points:
        _make_point(root, target, is_folder=is_folder)
    for entry in (root, *root.rglob("*")):
        if entry.is_dir() and not entry.is_symlink():
            entry.chmod(0o755)


def _make_point(root: Path, target: str, *, is_folder: bool) -> None:
    point = root / target.lstrip("/")
    if is_folder:
        point.mkdir(parents=True, exist_ok=True)
    else:
        point.parent.mkdir(parents=True, exist_ok=True)
        point.touch()


def _fill_etc(etc: Path) -> None:
    for name, text in _WRITTEN_FILES.items():
        (etc / name).write_text(text)
        (etc / name).chmod(0o644)
    for name in _COPIED_FILES:
        with contextlib.suppress(FileNotFoundError):
            target = etc / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(Path("/etc", name), target)
            target.chmod(0o644)
    for name in _COPIED_TREES:
        if Path("/etc", name).is_dir():
            shutil.copytree(Path("/etc", name), etc / name, symlinks=True)


def _fill_dev(dev: Path) -> None:
    for name, target in _DEVICE_LINKS.items():
        (dev / name).symlink_to(target)
    for name in DEVICES:
        node = dev / name
        try:
            mknod(node, stat.S_IFCHR | 0o666, Path("/dev", name).stat().st_rdev)
            node.chmod(0o666)
            (dev / "null").open("rb").close()
        except OSError:
            # No right to make nodes, or a file system without devices: bind the host's own.
            node.unlink(missing_ok=True)
            node.touch()


def _is_link(name: str) -> bool:
    return Path("/", name).is_symlink()
