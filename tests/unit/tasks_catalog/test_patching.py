"""A patch that doesn't fit exactly is refused with file and hunk, and changes nothing."""

from pathlib import Path

import pytest

from tasks_catalog.patching import PatchRefused, apply_patch, patch_folder

FILES = {"src/a": b"one\ntwo\nthree\nfour\n"}
HEAD = b"--- a/src/a\n+++ b/src/a\n"
GOOD = HEAD + b"@@ -1,2 +1,2 @@\n one\n-two\n+2\n"


def test_a_git_diff_is_applied() -> None:
    patch = b"diff --git a/src/a b/src/a\nindex 1..2 100644\n" + GOOD
    assert apply_patch(patch, FILES) == {"src/a": b"one\n2\nthree\nfour\n"}


@pytest.mark.parametrize(
    ("body", "hunk", "words"),
    [
        (b"@@ -1,2 +1,2 @@\n one\n-TWO\n+2\n", 1, "line 2 is 'two"),
        (b"@@ -2,2 +2,2 @@\n one\n-two\n+2\n", 1, "line 2 is"),
        (b"@@ -4,2 +4,1 @@\n four\n-five\n", 1, "behind the end"),
        (b"@@ -9,0 +10,1 @@\n+x\n", 1, "behind the end"),
        (b"@@ -1,1 +1,1 @@\n-one\n+1\n@@ -1,1 +1,1 @@\n-one\n+1\n", 2, "overlaps"),
        (b"@@ -1,1 +3,1 @@\n-one\n+1\n", 1, "new lines would start at line 1"),
        (b"@@ -1,3 +1,3 @@\n one\n-two\n+2\n", 1, "line counts"),
        (b"@@ -1,1 +1,1 @@\n one\n-two\n", 0, "expected a file header"),
        (b"@@ -x +y @@\n", 1, "header"),
        (b"", 0, "no hunks"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_hunk(body: bytes, hunk: int, words: str) -> None:
    with pytest.raises(PatchRefused, match=words) as refused:
        apply_patch(HEAD + body, FILES)
    assert refused.value.hunk == hunk


@pytest.mark.parametrize(
    ("patch", "words"),
    [
        (b"", "no change"),
        (b"not a patch\n", "file header"),
        (b"diff --git a/x b/y\nrename from x\nrename to y\n", "only text"),
        (b"diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", "only text"),
        (b"Binary files a/x and b/x differ\n", "only text"),
        (b"--- a/src/a\n+++ b/src/b\n@@ -1 +1 @@\n-one\n+1\n", "rename"),
        (b"--- a/../x\n+++ b/../x\n@@ -1 +1 @@\n-one\n+1\n", "relative"),
        (b"--- /etc/x\n+++ /etc/x\n@@ -1 +1 @@\n-one\n+1\n", "relative"),
        (b"--- a/no\n+++ b/no\n@@ -1 +1 @@\n-one\n+1\n", "no such file"),
        (b"--- /dev/null\n+++ b/src/a\n@@ -0,0 +1 @@\n+1\n", "exists"),
        (b"--- a/src/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n", "holds more"),
        (GOOD + GOOD, "twice"),
    ],
)
def test_what_is_not_a_plain_change_of_text_is_refused(patch: bytes, words: str) -> None:
    with pytest.raises(PatchRefused, match=words):
        apply_patch(patch, FILES)


def test_a_folder_is_untouched_where_a_later_hunk_is_refused(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/a").write_bytes(FILES["src/a"])
    bad = b"--- a/b\n+++ b/b\n@@ -1 +1 @@\n-one\n+1\n"
    with pytest.raises(PatchRefused):
        patch_folder(GOOD + bad, tmp_path)
    assert (tmp_path / "src/a").read_bytes() == FILES["src/a"]


def test_a_folder_is_never_patched_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/a").write_bytes(FILES["src/a"])
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside/src").symlink_to(tmp_path / "outside")
    with pytest.raises(PatchRefused, match="symbolic link"):
        patch_folder(GOOD, tmp_path / "inside")
    assert (tmp_path / "outside/a").read_bytes() == FILES["src/a"]


def test_a_patched_file_keeps_its_x_bit(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/a").write_bytes(FILES["src/a"])
    (tmp_path / "src/a").chmod(0o755)
    patch_folder(GOOD, tmp_path)
    assert (tmp_path / "src/a").stat().st_mode & 0o777 == 0o755
