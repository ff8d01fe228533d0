"""The folder of artifacts: content-addressed, whole or absent, verified on reading."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from models.canonical import digest_of_bytes
from models.errors import Infrastructure, InvalidInput, NotFound
from models.storage.artifacts import ArtifactStore, open_artifacts


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


def test_an_artifact_that_was_never_put_is_not_found(store: ArtifactStore) -> None:
    digest = digest_of_bytes(b"nothing")
    assert not store.has(digest)
    with pytest.raises(NotFound, match="GRADEFARM_ARTIFACTS_URL"):
        store.get(digest)


@pytest.mark.parametrize("digest", ["", "sha256:", "sha256:../../etc/passwd", "md5:" + "a" * 64])
def test_what_is_no_digest_never_becomes_a_path(store: ArtifactStore, digest: str) -> None:
    with pytest.raises(NotFound):
        store.get(digest)


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


@pytest.mark.parametrize("url", ["", "artifacts", "file://host/x", "s3://bucket"])
def test_a_store_of_another_kind_is_refused(url: str) -> None:
    with pytest.raises(InvalidInput, match="GRADEFARM_ARTIFACTS_URL"):
        open_artifacts(url)


def test_a_store_in_a_place_that_is_no_folder_is_infrastructure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = open_artifacts(f"file://{tmp_path / 'file'}")
    with pytest.raises(Infrastructure) as caught:
        store.put(b"x")
    assert caught.value.category == "unknown"


def test_what_is_put_in_chunks_is_the_same_artifact(store: ArtifactStore) -> None:
    digest = store.put_chunks(lambda: (b"evi", b"dence"))
    assert digest == store.put(b"evidence")
    with store.open(digest) as file:
        assert file.read() == b"evidence"


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
