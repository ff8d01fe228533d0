"""Keeping workspaces as artifacts: bounded in memory, stopped when asked, honest about changes."""

import os
import resource
from pathlib import Path

import pytest

from models.storage.artifact_opening import open_artifacts
from workers.snapshots import keep_snapshot, restore_snapshot
from workers.stage_stopped import StageStopped, stop_when
from workers.tree_copy import lay_over

BIG = 200 * 2**20
LEFTOVERS = ("__pycache__", ".mypy_cache")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    folder.mkdir()
    (folder / "main.py").write_text("print(1)\n")
    return folder


def test_a_large_workspace_is_kept_and_restored_in_little_memory(
    tree: Path, tmp_path: Path
) -> None:
    with (tree / "sparse").open("wb") as file:
        file.truncate(BIG)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            store = open_artifacts(f"file://{tmp_path / 'artifacts'}")
            kept = keep_snapshot(tree, 256, store)
            if kept is not None:
                restore_snapshot(kept.artifact, store, tmp_path / "out")
            grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
            os.write(write, str(grown * 1024).encode())
        finally:
            os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    with os.fdopen(read) as answer:
        assert int(answer.read()) < BIG // 4
    assert (tmp_path / "out" / "sparse").stat().st_size == BIG
    assert (tmp_path / "out" / "main.py").read_text() == "print(1)\n"


def test_freezing_and_restoring_stop_when_the_stage_is_cancelled(
    tree: Path, tmp_path: Path
) -> None:
    store = open_artifacts(f"file://{tmp_path / 'artifacts'}")
    kept = keep_snapshot(tree, 1, store)
    assert kept is not None
    stop = stop_when(lambda: True)
    with pytest.raises(StageStopped):
        keep_snapshot(tree, 1, store, (), stop)
    with pytest.raises(StageStopped):
        restore_snapshot(kept.artifact, store, tmp_path / "out", stop)


def test_what_tools_leave_behind_is_kept_but_is_no_delivery(tree: Path, tmp_path: Path) -> None:
    store = open_artifacts(f"file://{tmp_path / 'artifacts'}")
    before = keep_snapshot(tree, 1, store, LEFTOVERS)
    for folder in (tree / "a" / "__pycache__", tree / ".mypy_cache", tree / ".git"):
        folder.mkdir(parents=True)
        (folder / "aaa").write_text("cache")
    (tree / "a").rename(tree / "__pycache__")
    after = keep_snapshot(tree, 1, store, LEFTOVERS)
    assert before is not None
    assert after is not None
    assert before.artifact != after.artifact
    assert before.delivery == after.delivery
    (tree / "main.py").write_text("print(2)\n")
    changed = keep_snapshot(tree, 1, store, LEFTOVERS)
    assert changed is not None
    assert changed.delivery != before.delivery


def test_a_starter_with_an_empty_folder_is_copied_whole(tree: Path, tmp_path: Path) -> None:
    (tree / "data" / "empty").mkdir(parents=True)
    store = open_artifacts(f"file://{tmp_path / 'artifacts'}")
    lay_over(tree, tmp_path / "copy")
    assert keep_snapshot(tree, 1, store) == keep_snapshot(tmp_path / "copy", 1, store)
