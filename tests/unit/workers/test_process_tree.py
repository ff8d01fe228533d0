"""What is read of a sandbox that is still being set up: nothing that is the machine's."""

import os
import subprocess
import sys

from workers.sandbox.process_tree import (
    MemoryFileUse,
    proportional_bytes,
    read_memory_files,
    read_tree,
)

NOTHING = MemoryFileUse(0, 0)


def test_the_files_of_the_machine_are_nobodys_before_a_sandbox_has_its_root() -> None:
    """A machine's /tmp may hold more files than any program may have."""
    assert os.statvfs("/tmp").f_files > os.statvfs("/tmp").f_ffree
    assert read_memory_files(os.getpid(), ("/tmp", "/dev/shm")) == NOTHING


def test_the_processes_of_the_machine_are_nobodys_before_a_sandbox_has_its_root() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        assert read_tree(child.pid, namespaced=True).threads == 1
        assert proportional_bytes(child.pid, namespaced=True) < 200 << 20
    finally:
        child.communicate(b"\n")


def test_a_process_that_is_gone_uses_nothing() -> None:
    child = subprocess.Popen(["/bin/true"])
    child.wait()
    assert read_memory_files(child.pid, ("/tmp",)) == NOTHING
    assert read_tree(child.pid, namespaced=True).threads == 0
