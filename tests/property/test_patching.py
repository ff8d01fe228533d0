"""A unified diff applied exactly gives the target, and anything else is refused."""

import difflib
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tasks_catalog.patching import NO_NEWLINE, PatchRefused, apply_patch, patch_folder

LINE = st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=6) | st.sampled_from(
    ["", "-- a", "++ b", "@@ -1 +1 @@", "\\ No newline at end of file", "\r"]
)
CONTENT = st.tuples(st.lists(LINE, max_size=12), st.booleans())


def as_bytes(content: tuple[list[str], bool]) -> bytes:
    lines, ends = content
    text = "\n".join(lines)
    return (text + "\n" if ends and lines else text).encode()


def split(content: bytes) -> list[str]:
    lines = content.decode().split("\n")
    last = lines.pop()
    return [line + "\n" for line in lines] + ([last] if last else [])


def unified(path: str, old: bytes | None, new: bytes | None, context: int = 3) -> bytes:
    """What `diff -u` prints, with the marker that difflib leaves out."""
    rows = difflib.unified_diff(
        split(old or b""),
        split(new or b""),
        "/dev/null" if old is None else f"a/{path}",
        "/dev/null" if new is None else f"b/{path}",
        n=context,
    )
    marker = "\n" + NO_NEWLINE.decode() + "\n"
    return "".join(row if row.endswith("\n") else row + marker for row in rows).encode()


@st.composite
def edits(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """Two contents of which the second mostly shares lines with the first."""
    lines, ends = draw(CONTENT)
    edited = list(lines)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(edited)))
        edited[at : at + draw(st.integers(0, 2))] = draw(st.lists(LINE, max_size=2))
    return as_bytes((lines, ends)), as_bytes((edited, draw(st.booleans())))


@given(edits(), st.integers(0, 3))
def test_a_diff_turns_the_old_content_into_the_new(pair: tuple[bytes, bytes], context: int) -> None:
    old, new = pair
    assume(old != new)
    files = {"src/a.py": old, "other": b"kept"}
    result = apply_patch(unified("src/a.py", old, new, context), files)
    assert result == {"src/a.py": new, "other": b"kept"}
    assert files["src/a.py"] == old


@given(edits(), edits())
def test_several_files_are_patched_by_one_diff(
    one: tuple[bytes, bytes], two: tuple[bytes, bytes]
) -> None:
    assume(one[0] != one[1] and two[0] != two[1])
    patch = unified("a", *one) + unified("b", *two)
    assert apply_patch(patch, {"a": one[0], "b": two[0]}) == {"a": one[1], "b": two[1]}


@given(edits(), CONTENT)
def test_a_diff_never_applies_to_another_content_with_another_result(
    pair: tuple[bytes, bytes], other: tuple[list[str], bool]
) -> None:
    """With whole-file context there is nothing left that could differ unseen."""
    old, new = pair
    assume(old != new and as_bytes(other) != old and old)
    patch, files = unified("a", old, new, context=1000), {"a": as_bytes(other)}
    if not as_bytes(other).startswith(old):
        with pytest.raises(PatchRefused) as refused:
            apply_patch(patch, files)
        assert (refused.value.file, refused.value.hunk) == ("a", 1)
        return
    try:
        result = apply_patch(patch, files)
    except PatchRefused:
        # The last old line had no line feed, and more lines would follow it.
        return
    # The old lines lead the file; what follows them is kept as it was.
    assert result["a"] == new + as_bytes(other).removeprefix(old)


@given(CONTENT)
def test_files_come_and_go(content: tuple[list[str], bool]) -> None:
    text = as_bytes(content)
    assume(text)
    made = apply_patch(unified("new/a", None, text), {})
    assert made == {"new/a": text}
    assert apply_patch(unified("new/a", text, None), made) == {}


@given(edits())
def test_a_folder_is_patched_like_the_files_in_it(
    tmp_path_factory: pytest.TempPathFactory, pair: tuple[bytes, bytes]
) -> None:
    old, new = pair
    assume(old != new)
    folder = tmp_path_factory.mktemp("tree")
    (folder / "src").mkdir()
    (folder / "src" / "a.py").write_bytes(old)
    assert patch_folder(unified("src/a.py", old, new), folder) == ("src/a.py",)
    assert (folder / "src" / "a.py").read_bytes() == new


@given(st.binary(max_size=200))
def test_any_bytes_are_applied_or_refused_but_never_crash(patch: bytes) -> None:
    with pytest.raises(PatchRefused):
        apply_patch(patch, {"a": b"1\n", "b": Path(__file__).read_bytes()})
