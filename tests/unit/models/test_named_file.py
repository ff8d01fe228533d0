"""A file that a person names is read up to a bound, whatever it is."""

import os
from pathlib import Path
from threading import Thread

import pytest

from models.errors import InvalidInput
from models.named_file import read_named, read_named_text
from models.records.signing_keys import KeyRole
from models.storage.key_folder import KeyFolder
from scheduler.campaign_files import LARGEST, read_campaign_file


def test_a_file_may_have_as_many_bytes_as_are_read_and_no_more(tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_bytes(b"12345\r\n789")
    assert read_named(file, 10) == b"12345\r\n789"
    assert read_named_text(file, 10) == "12345\n789"
    with pytest.raises(InvalidInput, match=r"x: has 10 bytes, more than the 9 that are read"):
        read_named(file, 9)


def test_a_file_without_an_end_is_left_after_the_bound() -> None:
    with pytest.raises(InvalidInput, match="/dev/zero: goes on, more than the 1,000"):
        read_named(Path("/dev/zero"), 1_000)


def test_a_pipe_is_read_until_its_end(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writing = Thread(target=pipe.write_bytes, args=(b"a" * 100_000,))
    writing.start()
    assert len(read_named(pipe, 100_000)) == 100_000
    writing.join()


def test_campaign_files_and_keys_have_bounds(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=f"/dev/zero: goes on, more than the {LARGEST:,}"):
        read_campaign_file(Path("/dev/zero"), {})
    (tmp_path / "grader.pem").write_bytes(b"x" * 100_000)
    with pytest.raises(InvalidInput, match=r"grader\.pem: has 100,000 bytes"):
        KeyFolder(tmp_path).find(KeyRole.GRADER)
