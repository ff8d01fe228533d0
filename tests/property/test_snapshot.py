# ruff: noqa: PTH101, PTH102, PTH103, PTH120, PTH123, PTH211 (paths are bytes here, which pathlib does not know)
"""Snapshots of arbitrary trees."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from models.schemas.snapshot import SnapshotManifest, decode_name, encode_name
from tests.fakes.frozen_trees import freeze_tree
from workers.freezing.escaping_links import escaping_links
from workers.freezing.snapshot_caps import SnapshotCaps

CAPS = SnapshotCaps()
NAMES = (
    st.binary(min_size=1, max_size=20)
    .map(lambda raw: raw.replace(b"/", b"_").replace(b"\0", b"_"))
    .filter(lambda raw: raw not in (b".", b"..", b".git"))
)
TREES = st.recursive(
    st.tuples(st.binary(max_size=50), st.booleans()),
    lambda children: st.dictionaries(NAMES, children, max_size=4),
    max_leaves=12,
)
FOLDERS = st.dictionaries(NAMES, TREES, max_size=4)


def build(root: bytes, tree: dict[bytes, object], *, backwards: bool) -> None:
    for name in sorted(tree, reverse=backwards):
        child, path = tree[name], root + b"/" + name
        if isinstance(child, dict):
            os.mkdir(path)
            build(path, child, backwards=backwards)
        else:
            content, executable = child  # type: ignore[misc]
            with open(path, "wb") as file:
                file.write(content)
            os.chmod(path, 0o755 if executable else 0o644)


@given(FOLDERS)
@settings(max_examples=40, deadline=None)
def test_a_snapshot_re_created_and_frozen_again_has_the_same_id(tree: dict[bytes, object]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        first, second, third = (os.fsencode(folder) + end for end in (b"/1", b"/2", b"/3"))
        for root, backwards in ((first, False), (second, True)):
            os.mkdir(root)
            build(root, tree, backwards=backwards)
        snapshot = freeze_tree(Path(os.fsdecode(first)), CAPS)
        assert freeze_tree(Path(os.fsdecode(second)), CAPS) == snapshot
        snapshot.restore(Path(os.fsdecode(third)))
        assert freeze_tree(Path(os.fsdecode(third)), CAPS) == snapshot
        stored = SnapshotManifest.model_validate_json(snapshot.manifest.canonical())
        assert stored.snapshot_id() == snapshot.snapshot_id


@given(st.binary(max_size=60))
def test_every_name_comes_back_as_it_was(raw: bytes) -> None:
    assert decode_name(encode_name(raw)) == raw


@given(st.binary(max_size=30), st.binary(max_size=30))
def test_different_names_are_written_differently(one: bytes, other: bytes) -> None:
    assert (one == other) == (encode_name(one) == encode_name(other))


PARTS = st.sampled_from([b"..", b".", b"a", b"b", b"c", b""])
TEXTS = st.lists(PARTS, min_size=1, max_size=5).map(b"/".join).filter(bool)
PLACES = st.lists(st.sampled_from([b"a", b"b", b"c"]), min_size=1, max_size=2).map(b"/".join)


@given(st.dictionaries(PLACES, TEXTS, max_size=5))
@settings(max_examples=150, deadline=None)
def test_links_that_stay_really_stay(links: dict[bytes, bytes]) -> None:
    """The kernel, following what is left after dropping the escaping ones, never gets out."""
    kept = {path: links[path] for path in links.keys() - escaping_links(links)}
    with tempfile.TemporaryDirectory() as folder:
        root = os.fsencode(folder) + b"/r/oo/t"
        os.makedirs(root)
        for path in sorted(kept):
            parent = os.path.dirname(root + b"/" + path)
            if any(path.startswith(other + b"/") for other in kept):
                continue
            os.makedirs(parent, exist_ok=True)
            if not os.path.lexists(root + b"/" + path):
                os.symlink(kept[path], root + b"/" + path)
                inside = os.path.realpath(root + b"/" + path)
                assert (inside + b"/").startswith(os.path.realpath(root) + b"/")
