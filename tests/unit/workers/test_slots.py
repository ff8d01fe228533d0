"""Slots: what a killed worker leaves on the disk goes with the next claim of any slot."""

import contextlib
import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest

from workers.sandbox.slots import Slot, claim_slot


@pytest.fixture
def scratch() -> Generator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="slots-"))
    yield folder
    shutil.rmtree(folder)


@contextlib.contextmanager
def _claimed(scratch: Path) -> Generator[Slot]:
    slot = claim_slot(scratch)
    try:
        yield slot
    finally:
        slot.release()


def test_the_next_claim_empties_every_slot_whose_owner_is_gone(scratch: Path) -> None:
    left = scratch / "slots" / "77" / "ws" / "0"
    left.mkdir(parents=True)
    (left / "file").write_text("left behind")
    with _claimed(scratch) as slot:
        assert slot.directory.is_dir()
        assert not (scratch / "slots" / "77").exists()


def test_a_slot_that_is_in_use_is_left_alone(scratch: Path) -> None:
    with _claimed(scratch) as first:
        (first.directory / "work").write_text("in use")
        with _claimed(scratch) as second:
            assert second.number != first.number
            assert (first.directory / "work").read_text() == "in use"
