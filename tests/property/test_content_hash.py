"""A tree's digest changes exactly with bytes, names and x bits; values keep their types."""

import json
import tempfile
from pathlib import Path

import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from models.canonical import digest_of, digest_of_bytes
from tasks_catalog.content_hash import FileDigest, tagged, tree_digest
from tasks_catalog.file_tree import digest_tree

NAME = st.text("abcü. -", min_size=1, max_size=3).filter(lambda name: name.strip(".") == name)
PATH = st.lists(NAME.filter(lambda name: name not in {".", ".."}), min_size=1, max_size=3)
TREE = st.dictionaries(
    PATH.map("/".join), st.tuples(st.booleans(), st.binary(max_size=3)), max_size=4
)
Tree = dict[str, tuple[bool, bytes]]


def files_of(tree: Tree) -> list[FileDigest]:
    return [FileDigest(path, x, digest_of_bytes(data)) for path, (x, data) in tree.items()]


@given(TREE, TREE)
def test_two_trees_have_one_digest_exactly_where_they_are_the_same(one: Tree, two: Tree) -> None:
    assert (tree_digest(files_of(one)) == tree_digest(files_of(two))) is (one == two)


@given(TREE, st.data())
def test_any_single_change_changes_the_digest(tree: Tree, data: st.DataObject) -> None:
    before = tree_digest(files_of(tree))
    path = data.draw(st.sampled_from(sorted(tree) or ["new"]))
    executable, content = tree.get(path, (False, b""))
    rest = {name: value for name, value in tree.items() if name != path}
    changes: list[Tree] = [
        rest | {path: (not executable, content)},
        rest | {path: (executable, content + b"x")},
        rest | {path + "x": (executable, content)},
        tree | {"another": (False, b"")},
    ]
    if path in tree:
        changes.append(rest)
    assert before not in {tree_digest(files_of(change)) for change in changes}


@given(TREE.map(files_of).flatmap(lambda files: st.tuples(st.just(files), st.permutations(files))))
def test_the_order_of_files_does_not_matter(
    orders: tuple[list[FileDigest], list[FileDigest]],
) -> None:
    assert tree_digest(orders[0]) == tree_digest(orders[1])


@given(TREE)
def test_a_folder_on_disk_has_the_digest_of_its_content(tree: Tree) -> None:
    names = set(tree)
    # A name can't be a file and a folder at once.
    sound = {
        path: value
        for path, value in tree.items()
        if not any(other.startswith(path + "/") for other in names)
    }
    with tempfile.TemporaryDirectory() as folder:
        for path, (executable, data) in sound.items():
            target = Path(folder) / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            target.chmod(0o755 if executable else 0o644)
        assert tree_digest(digest_tree(Path(folder))) == tree_digest(files_of(sound))


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8"), max_size=4)
    | st.sampled_from(["$float", "$int"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["$float", "$int", "$$int", "a", ""]), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(JSON, JSON)
def test_values_share_a_digest_exactly_where_they_are_equal_by_type(
    one: object, two: object
) -> None:
    """Python writes 1, 1.0 and true differently, so its JSON text tells strict equality."""
    same = json.dumps(one, sort_keys=True) == json.dumps(two, sort_keys=True)
    assert (digest_of(tagged(one)) == digest_of(tagged(two))) is same


@given(JSON)
def test_every_json_value_has_a_canonical_form(value: object) -> None:
    assert rfc8785.dumps(tagged(value))  # type: ignore[arg-type]
