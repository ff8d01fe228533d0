"""Folders that are made once, held while they are used, and forgotten when nobody needs them."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from workers.checks.remembered_builds import keep_within_caps, note_size
from workers.languages.folder_cache import forget, hold_once, make_once
from workers.stage_stopped import StageStopped


def fill(folder: Path, size: int = 10) -> None:
    with hold_once(folder, lambda draft: _write(draft, size)):
        pass


def _write(draft: Path, size: int) -> None:
    (draft / "program").write_bytes(b"x" * size)
    note_size(draft)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_who_waits_for_another_maker_stops_when_it_is_no_longer_wanted(tmp_path: Path) -> None:
    making, enough = threading.Event(), threading.Event()

    def slow(draft: Path) -> None:
        making.set()
        enough.wait(20)
        (draft / "done").touch()

    maker = threading.Thread(target=make_once, args=(tmp_path / "x", slow))
    maker.start()
    making.wait(20)
    looks = iter([False, False, True])
    began = time.monotonic()
    with pytest.raises(StageStopped):
        make_once(tmp_path / "x", slow, lambda: next(looks))
    assert time.monotonic() - began < 5
    assert maker.is_alive()
    enough.set()
    maker.join()
    assert (tmp_path / "x" / "done").exists()


def test_a_folder_that_is_used_is_never_forgotten(tmp_path: Path) -> None:
    with hold_once(tmp_path / "x", lambda draft: _write(draft, 1)) as was_there:
        assert not was_there
        with hold_once(tmp_path / "x", lambda draft: _write(draft, 1)) as is_there:
            assert is_there
        assert not forget(tmp_path / "x")
        assert (tmp_path / "x" / "program").exists()
    assert forget(tmp_path / "x")
    assert names(tmp_path) == set()


def test_a_folder_that_is_being_made_is_not_forgotten(tmp_path: Path) -> None:
    def make(draft: Path) -> None:
        assert not forget(tmp_path / "x")
        keep_within_caps(tmp_path, most_bytes=0, most_builds=0)
        _write(draft, 1)

    with hold_once(tmp_path / "x", make):
        assert (tmp_path / "x" / "program").exists()


def test_makers_users_and_forgetters_at_once_never_meet_half_a_folder(tmp_path: Path) -> None:
    end = time.monotonic() + 1.5
    made: list[Path] = []
    making = threading.Lock()

    def make(draft: Path) -> None:
        assert making.acquire(blocking=False), "two make it at once"
        made.append(draft)
        _write(draft, 1_000)
        making.release()

    def use() -> None:
        while time.monotonic() < end:
            with hold_once(tmp_path / "x", make):
                for _ in range(3):
                    assert len((tmp_path / "x" / "program").read_bytes()) == 1_000
            time.sleep(0.01)

    def clear() -> None:
        while time.monotonic() < end:
            forget(tmp_path / "x")
            time.sleep(0.001)

    with ThreadPoolExecutor(6) as pool:
        for done in [pool.submit(work) for work in (use, use, use, use, clear, clear)]:
            done.result()
    assert len(made) > 1


def test_builds_stay_within_their_caps_however_new_they_are(tmp_path: Path) -> None:
    for number in range(6):
        fill(tmp_path / f"b{number}", 1_000)
        os.utime(tmp_path / f"b{number}", (number, number))
    fill(tmp_path / "b0", 1_000)
    keep_within_caps(tmp_path, most_bytes=3_500, most_builds=100)
    assert {name for name in names(tmp_path) if not name.endswith(".lock")} == {"b0", "b5", "b4"}
    keep_within_caps(tmp_path, most_bytes=3_500, most_builds=2)
    assert names(tmp_path) == {"b0", "b0.lock", "b5", "b5.lock"}


def test_what_killed_workers_left_of_builds_is_swept(tmp_path: Path) -> None:
    (tmp_path / ".left.0123456789ab").mkdir()
    (tmp_path / ".left.0123456789ab" / "half").write_bytes(b"x" * 1_000)
    (tmp_path / "alone.lock").touch()
    (tmp_path / "no-size").mkdir()
    keep_within_caps(tmp_path)
    assert names(tmp_path) == set()


def test_a_file_in_the_place_of_a_build_does_not_stay_for_ever(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("")
    with hold_once(tmp_path / "x", lambda draft: _write(draft, 1)):
        assert (tmp_path / "x" / "program").exists()
