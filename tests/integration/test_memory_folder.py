"""A pool child's folder in memory: its own, bounded, and gone with it."""

import errno
import multiprocessing
import os
import shutil
import tempfile
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from tests.conftest import miss
from workers.memory_folder import (
    MOST_BYTES,
    NAME,
    filled_folder,
    memory_folder,
    mount_memory_folder,
)
from workers.sandbox.request import Limits, Mount, SandboxRequest
from workers.sandbox.selection import select_sandbox

pytestmark = pytest.mark.real

LIMITS = Limits(10, 10, 128 << 20, 32, 1 << 16, 1 << 20, 100)


@pytest.fixture
def scratch() -> Iterator[Path]:
    if os.geteuid() != 0:
        miss("only root may mount")
    folder = Path(tempfile.mkdtemp(prefix="gradefarm-memory-", dir="/var/tmp"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def child(scratch: Path, answer: Connection) -> None:
    """What a pool child does: mount, write, show to a sandbox, overfill."""
    if not mount_memory_folder(scratch):
        answer.send("refused")
        return
    folder = memory_folder(scratch)
    assert folder is not None
    (folder / "program").write_text("#!/bin/sh\necho seen\n")
    (folder / "program").chmod(0o755)
    sandbox = select_sandbox(scratch)
    try:
        mounts = (Mount(folder, "/work", "ro"),)
        said = sandbox.run(SandboxRequest(("/work/program",), b"", {}, mounts, "/tmp", LIMITS))
        script = ("/bin/sh", "-c", "echo x > /work/program || echo shut")
        wrote = sandbox.run(SandboxRequest(script, b"", {}, mounts, "/tmp", LIMITS))
    finally:
        sandbox.close()
    grounds: list[bool] = []
    for size in (1, MOST_BYTES + 1):
        with filled_folder(folder, lambda to, size=size: written(to, size)) as filled:
            grounds.append(filled.is_relative_to(folder))
    answer.send((said.stdout, wrote.stdout, grounds, [one.name for one in folder.iterdir()]))


def written(folder: Path, size: int) -> None:
    (folder / "file").write_bytes(bytes(size))


def test_only_the_child_sees_it_and_nothing_is_left_of_it(scratch: Path) -> None:
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=child, args=(scratch, theirs))
    process.start()
    assert ours.poll(60)
    answer = ours.recv()
    if answer == "refused":
        process.join(10)
        miss("this kernel or container lets nobody mount")
    assert answer == (b"seen\n", b"shut\n", [True, False], ["program"])
    process.join(10)
    assert not (scratch / NAME).is_mount()
    assert not list((scratch / NAME).iterdir())
    assert memory_folder(scratch) is None


def test_only_a_lack_of_room_sends_a_tree_to_the_disk(tmp_path: Path) -> None:
    def fails(_: Path) -> None:
        raise PermissionError(errno.EACCES, "no")

    with pytest.raises(PermissionError), filled_folder(tmp_path, fails):
        pass
    assert not list(tmp_path.iterdir())
