"""Freezing whatever judged code left behind, and re-creating it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from pathlib import Path

import pytest

from models.schemas.snapshot import (
    SnapshotDirectory,
    SnapshotEntry,
    SnapshotFile,
    SnapshotLink,
    SnapshotManifest,
    decode_name,
    encode_name,
)
from tests.fakes.frozen_trees import FrozenTree, freeze_tree
from workers.freezing.materialise import SnapshotForged
from workers.freezing.snapshot_caps import SnapshotCaps, WorkspaceOverLimit

CAPS = SnapshotCaps()
EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    root.mkdir()
    return root


def entry_paths(snapshot: FrozenTree) -> list[str]:
    return [entry.path for entry in snapshot.manifest.entries]


def notes(snapshot: FrozenTree) -> list[tuple[str, str]]:
    return [(note.path, note.reason) for note in snapshot.manifest.notes]


def round_trip(snapshot: FrozenTree, target: Path) -> FrozenTree:
    snapshot.restore(target)
    return freeze_tree(target, CAPS)


def test_files_directories_links_and_the_x_bit_survive(tree: Path, tmp_path: Path) -> None:
    (tree / "a" / "empty").mkdir(parents=True)
    (tree / "a" / "plain").write_bytes(b"one\0two")
    (tree / "run").write_text("#!/bin/sh\n")
    (tree / "run").chmod(0o4755)
    (tree / "link").symlink_to("a/plain")
    snapshot = freeze_tree(tree, CAPS)
    again = round_trip(snapshot, tmp_path / "out")
    assert entry_paths(snapshot) == ["a", "a/empty", "a/plain", "link", "run"]
    assert again.snapshot_id == snapshot.snapshot_id
    assert (tmp_path / "out" / "a" / "plain").read_bytes() == b"one\0two"
    assert (tmp_path / "out" / "link").read_bytes() == b"one\0two"
    assert (tmp_path / "out" / "run").stat().st_mode & 0o7777 == 0o755


def test_the_same_tree_has_the_same_id_whatever_its_times_and_order(tmp_path: Path) -> None:
    names = ["b", "a", "a-b", "c"]
    for root, order in ((tmp_path / "x", names), (tmp_path / "y", names[::-1])):
        root.mkdir()
        for name in order:
            (root / name).write_text(name)
            os.utime(root / name, (len(order), hash(name) % 1000))
    (tmp_path / "y" / "a").chmod(0o600)
    if os.geteuid() == 0:
        os.chown(tmp_path / "y" / "b", 12, 34)
    assert freeze_tree(tmp_path / "x", CAPS) == freeze_tree(tmp_path / "y", CAPS)


def test_a_changed_byte_or_x_bit_changes_the_id(tree: Path) -> None:
    (tree / "f").write_text("x")
    first = freeze_tree(tree, CAPS).snapshot_id
    (tree / "f").chmod(0o755)
    second = freeze_tree(tree, CAPS).snapshot_id
    (tree / "f").write_text("y")
    assert len({first, second, freeze_tree(tree, CAPS).snapshot_id}) == 3


def test_equal_contents_are_packed_once(tree: Path) -> None:
    for name in "abc":
        (tree / name).write_bytes(b"same" * 100)
    os.link(tree / "a", tree / "hard")
    snapshot = freeze_tree(tree, CAPS)
    assert len(snapshot.pack) == 400
    assert len(snapshot.manifest.entries) == 4


@pytest.mark.parametrize(
    ("text", "escapes"),
    [
        ("a", False),
        ("./a/../b", False),
        ("/etc/passwd", True),
        ("../outside", True),
        ("a/../../outside", True),
        ("missing", False),
        ("self", True),
    ],
)
def test_a_link_that_leads_out_is_kept_as_text_and_not_re_created(
    tree: Path, tmp_path: Path, text: str, escapes: bool
) -> None:
    (tree / "self").symlink_to(text)
    snapshot = freeze_tree(tree, CAPS)
    (entry,) = snapshot.manifest.entries
    assert isinstance(entry, SnapshotLink)
    assert (entry.target, entry.escapes) == (text, escapes)
    snapshot.restore(tmp_path / "out")
    assert (tmp_path / "out" / "self").is_symlink() is not escapes


def test_a_link_that_leads_out_through_another_link_is_seen(tree: Path) -> None:
    (tree / "a" / "b").mkdir(parents=True)
    (tree / "a" / "b" / "up").symlink_to("../..")
    (tree / "a" / "b" / "sneaky").symlink_to("up/../secret")
    flags = {
        e.path: e.escapes for e in freeze_tree(tree, CAPS).manifest.entries if e.kind == "link"
    }
    assert flags == {"a/b/up": False, "a/b/sneaky": True}


def test_a_link_to_a_directory_of_the_host_is_not_entered(tree: Path) -> None:
    (tree / "host").symlink_to("/etc")
    assert entry_paths(freeze_tree(tree, CAPS)) == ["host"]


def test_pipes_sockets_and_devices_are_noted_and_never_opened(tree: Path) -> None:
    os.mkfifo(tree / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tree / "sock"))
    expected = [("pipe", "fifo"), ("sock", "socket")]
    if os.geteuid() == 0:
        os.mknod(tree / "disk", 0o20666, os.makedev(1, 3))
        expected.insert(0, ("disk", "device"))
    snapshot = freeze_tree(tree, CAPS)
    assert snapshot.manifest.entries == ()
    assert notes(snapshot) == expected


def test_hostile_names_survive(tree: Path, tmp_path: Path) -> None:
    names = [
        b"new\nline",
        b"\xff\xfe",
        b"base64:x",
        b"-rf",
        b" ",
        b"\x01",
        b"a" * 255,
        "é".encode(),
    ]
    for name in names:
        Path(os.fsdecode(os.fsencode(tree) + b"/" + name)).write_bytes(name)
    snapshot = freeze_tree(tree, CAPS)
    assert sorted(decode_name(path) for path in entry_paths(snapshot)) == sorted(names)
    assert round_trip(snapshot, tmp_path / "out").snapshot_id == snapshot.snapshot_id
    read_back = SnapshotManifest.model_validate_json(snapshot.manifest.canonical())
    assert read_back == snapshot.manifest


def test_three_thousand_nested_directories_are_over_the_limit_and_crash_nothing(
    tmp_path: Path,
) -> None:
    script = "import os\nfor _ in range(3000): os.mkdir('d'); os.chdir('d')"
    subprocess.run(["python3", "-c", script], check=True, cwd=tmp_path)
    with pytest.raises(WorkspaceOverLimit) as caught:
        freeze_tree(tmp_path, CAPS)
    assert (caught.value.cap, caught.value.limit) == ("depth", 64)
    subprocess.run(["rm", "-rf", tmp_path / "d"], check=True)


def test_a_sparse_file_of_300_gb_is_over_the_limit_at_once(tree: Path) -> None:
    with (tree / "sparse").open("wb") as file:
        file.truncate(300 * 2**30)
    with pytest.raises(WorkspaceOverLimit, match="file_bytes"):
        freeze_tree(tree, CAPS)


@pytest.mark.parametrize(
    ("caps", "cap"),
    [
        (SnapshotCaps(entries=5), "entries"),
        (SnapshotCaps(total_bytes=50), "total_bytes"),
        (SnapshotCaps(file_bytes=9), "file_bytes"),
        (SnapshotCaps(depth=1), "depth"),
        (SnapshotCaps(path_bytes=5), "path_bytes"),
        (SnapshotCaps(name_bytes=50), "name_bytes"),
    ],
)
def test_every_cap_is_kept(tree: Path, caps: SnapshotCaps, cap: str) -> None:
    (tree / "folder").mkdir()
    for number in range(8):
        (tree / "folder" / f"f{number}").write_text("x" * 10)
    assert freeze_tree(tree, CAPS).snapshot_id
    with pytest.raises(WorkspaceOverLimit) as caught:
        freeze_tree(tree, caps)
    assert caught.value.cap == cap


def test_the_texts_of_links_are_counted_before_they_fill_the_memory(tree: Path) -> None:
    for number in range(1_100):
        (tree / f"l{number}").symlink_to("d/" * 2_000)
    with pytest.raises(WorkspaceOverLimit) as caught:
        freeze_tree(tree, CAPS)
    assert caught.value.cap == "name_bytes"


def test_a_repository_is_left_out_unless_it_is_asked_for(tree: Path) -> None:
    (tree / ".git").mkdir()
    (tree / ".git" / "config").write_text("[core]\nfsmonitor = touch /tmp/owned\n")
    (tree / "kept").write_text("x")
    without, with_git = freeze_tree(tree, CAPS), freeze_tree(tree, CAPS, keep_git=True)
    assert entry_paths(without) == ["kept"]
    assert notes(without) == [(".git", "excluded")]
    assert entry_paths(with_git) == [".git", ".git/config", "kept"]


def test_what_cannot_be_read_is_noted(tree: Path) -> None:
    (tree / "shut").mkdir()
    (tree / "shut" / "inside").write_text("x")
    (tree / "secret").write_text("x")
    (tree / "secret").chmod(0)
    (tree / "shut").chmod(0)
    snapshot = _freeze_without_rights(tree)
    (tree / "shut").chmod(0o755)
    if snapshot is not None:
        assert snapshot == "[('secret', 'unreadable'), ('shut', 'unreadable')]"


def _freeze_without_rights(tree: Path) -> str | None:
    """The notes of a freeze by a user who may not read everything."""
    if os.geteuid() != 0:
        return str(notes(freeze_tree(tree, CAPS)))
    for step in (tree, *tree.parents[:3]):
        step.chmod(0o755)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.setgroups([])
        os.setresgid(65534, 65534, 65534)
        os.setresuid(65534, 65534, 65534)
        os.write(writer, str(notes(freeze_tree(tree, CAPS))).encode())
        os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    with os.fdopen(reader) as answers:
        return answers.read()


def forged(*entries: SnapshotEntry) -> SnapshotManifest:
    return SnapshotManifest(entries=entries)


def empty_file(path: str) -> SnapshotFile:
    return SnapshotFile(path=path, executable=False, size=0, sha256=EMPTY, offset=0)


@pytest.mark.parametrize(
    "manifest",
    [
        forged(empty_file("../out")),
        forged(empty_file("/etc/owned")),
        forged(empty_file("a/../../out")),
        forged(empty_file("./a")),
        forged(empty_file("")),
        forged(empty_file("a\0b")),
        forged(empty_file("a" * 300)),
        forged(empty_file("base64:Ly4u")),
        forged(empty_file("base64:!!")),
        forged(empty_file("b"), empty_file("a")),
        forged(empty_file("a"), empty_file("a")),
        forged(empty_file("nowhere/a")),
        forged(empty_file("a"), empty_file("a/b")),
        forged(SnapshotLink(path="a", target="/etc", escapes=False), empty_file("a/passwd")),
        forged(SnapshotDirectory(path="a"), SnapshotLink(path="a", target="b", escapes=False)),
        forged(SnapshotLink(path="a", target="", escapes=False)),
        forged(SnapshotFile(path="a", executable=False, size=3, sha256=EMPTY, offset=0)),
        forged(SnapshotFile(path="a", executable=False, size=3, sha256="0" * 64, offset=99)),
    ],
)
def test_a_forged_manifest_writes_nothing(manifest: SnapshotManifest, tmp_path: Path) -> None:
    with pytest.raises(SnapshotForged):
        FrozenTree(manifest, b"abc").restore(tmp_path / "inner" / "out")
    assert list(tmp_path.iterdir()) == []


def test_the_flags_of_a_forged_manifest_are_not_believed(tmp_path: Path) -> None:
    manifest = forged(SnapshotLink(path="a", target="/etc", escapes=False))
    FrozenTree(manifest, b"").restore(tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []


def test_a_target_that_is_not_empty_is_refused(tree: Path, tmp_path: Path) -> None:
    (tree / "f").write_text("x")
    snapshot = freeze_tree(tree, CAPS)
    snapshot.restore(tmp_path / "out")
    with pytest.raises(SnapshotForged, match="not empty"):
        snapshot.restore(tmp_path / "out")
    shutil.rmtree(tmp_path / "out")


def test_names_are_base64_only_where_they_must_be() -> None:
    assert encode_name("naïve".encode()) == "naïve"
    assert encode_name(b"\xff") == "base64:/w=="
    assert encode_name(b"base64:") == "base64:YmFzZTY0Og=="
    with pytest.raises(ValueError, match="without need"):
        decode_name("base64:YQ==")
