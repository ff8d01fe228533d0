"""The folder of artifacts, beyond what every store keeps to."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from models.canonical import digest_of_bytes
from models.errors import Infrastructure, InvalidInput
from models.storage.artifact_opening import open_artifacts
from models.storage.artifacts import ArtifactStore


@pytest.fixture
def store(tmp_path: Path) -> ArtifactStore:
    return open_artifacts(f"file://{tmp_path / 'with space'}")


@given(data=st.binary(max_size=2_000))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_what_is_put_is_got_back_by_its_digest(store: ArtifactStore, data: bytes) -> None:
    digest = store.put(data)
    assert digest == digest_of_bytes(data) == store.put(data)
    assert store.has(digest)
    assert store.get(digest) == data


def test_an_artifact_that_was_changed_is_refused(store: ArtifactStore, tmp_path: Path) -> None:
    digest = store.put(b"evidence")
    [file] = [path for path in tmp_path.rglob("*") if path.is_file()]
    file.write_bytes(b"other evidence")
    with pytest.raises(Infrastructure, match="changed"):
        store.get(digest)


def test_putting_the_same_bytes_again_mends_a_damaged_artifact(
    store: ArtifactStore, tmp_path: Path
) -> None:
    digest = store.put(b"evidence")
    [file] = [path for path in tmp_path.rglob("*") if path.is_file()]
    for damaged in (b"", b"evidencE", b"evidence and more"):
        file.write_bytes(damaged)
        assert store.put(b"evidence") == digest
        assert store.get(digest) == b"evidence"


def test_no_draft_is_left_behind(store: ArtifactStore, tmp_path: Path) -> None:
    store.put(b"one")
    store.put(b"two")
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 2


@pytest.mark.parametrize(
    "url", ["", "artifacts", "file://host/x", "s3:///x", "s3://bucket?x=1", "http://x"]
)
def test_a_store_of_another_kind_is_refused(url: str) -> None:
    with pytest.raises(InvalidInput, match="GRADEFARM_ARTIFACTS_URL"):
        open_artifacts(url)


def test_a_store_in_a_place_that_is_no_folder_is_infrastructure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = open_artifacts(f"file://{tmp_path / 'file'}")
    with pytest.raises(Infrastructure) as caught:
        store.put(b"x")
    assert caught.value.category == "unknown"


def test_what_stands_in_a_folder_of_others_is_neither_followed_nor_waited_for(
    tmp_path: Path,
) -> None:
    digest = digest_of_bytes(b"evidence")
    name = digest.removeprefix("sha256:")
    place = tmp_path / "agents" / name[:2] / name
    place.parent.mkdir(parents=True)
    (tmp_path / "secret").write_bytes(b"evidence")
    store = open_artifacts(f"file://{tmp_path / 'agents'}", foreign=True)
    place.symlink_to(tmp_path / "secret")
    with pytest.raises(Infrastructure):
        store.get(digest)
    place.unlink()
    os.mkfifo(place)
    with pytest.raises(Infrastructure, match="not a regular file"):
        store.get(digest)


def test_what_was_read_from_a_folder_of_others_stays_as_it_was_compared(tmp_path: Path) -> None:
    url = f"file://{tmp_path}"
    digest = open_artifacts(url).put(b"evidence")
    [file] = [path for path in tmp_path.rglob("*") if path.is_file()]
    with open_artifacts(url, foreign=True).open(digest) as copy:
        file.write_bytes(b"forgery!")
        assert copy.read() == b"evidence"


def test_drafts_of_killed_processes_are_swept_when_a_store_is_opened(tmp_path: Path) -> None:
    store = open_artifacts(f"file://{tmp_path}")
    digest = store.put(b"evidence")
    drafts = tmp_path / "drafts"
    (drafts / "old").write_bytes(b"half")
    (drafts / "new").write_bytes(b"half")
    os.utime(drafts / "old", (1_000, 1_000))
    again = open_artifacts(f"file://{tmp_path}")
    assert [path.name for path in drafts.iterdir()] == ["new"]
    assert again.get(digest) == b"evidence"
