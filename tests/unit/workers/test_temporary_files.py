"""Temporary files: found by sandbox users, and gone at the next start after a kill."""

import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from workers.temporary_files import keep_temporary_files


@pytest.fixture(autouse=True)
def own_temporary_folder() -> Iterator[None]:
    kept, mask = tempfile.tempdir, os.umask(0o022)
    yield
    tempfile.tempdir = kept
    os.umask(mask)


def test_what_a_killed_worker_left_is_removed_at_the_next_start(tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    ready, tell = os.pipe()
    child = os.fork()
    if child == 0:
        keep_temporary_files(scratch)
        left = Path(tempfile.mkdtemp(prefix="gradefarm-graded-"))
        (left / "large").write_bytes(b"x" * 1000)
        os.write(tell, b"!")
        signal.pause()
    os.read(ready, 1)
    keep_temporary_files(scratch)
    mine = Path(tempfile.mkdtemp())
    assert list((scratch / "tmp").rglob("large")), "it was still at work"
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    tell_done, done = os.pipe()
    if (next_start := os.fork()) == 0:
        keep_temporary_files(scratch)
        os.write(done, b"!")
        os._exit(0)
    os.waitpid(next_start, 0)
    assert os.read(tell_done, 1) == b"!"
    assert not list((scratch / "tmp").rglob("large"))
    assert mine.is_dir()
    for descriptor in (ready, tell, tell_done, done):
        os.close(descriptor)


def test_a_forked_child_has_a_folder_of_its_own(tmp_path: Path) -> None:
    keep_temporary_files(tmp_path / "scratch")
    ours = tempfile.gettempdir()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        keep_temporary_files(tmp_path / "scratch")
        os.write(write, b"same" if tempfile.gettempdir() == ours else b"own")
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(read, 4) == b"own"
    keep_temporary_files(tmp_path / "scratch")
    assert tempfile.gettempdir() == ours
    assert Path(ours).stat().st_mode & 0o777 == 0o755
    os.close(read)
    os.close(write)
