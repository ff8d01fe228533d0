"""Applies unified diffs exactly: no fuzz, no offset, no rejects; all files or none.

`apply_patch` is pure; `patch_folder` is its edge. Understood: `---`/`+++` headers with an `a/` and
`b/` prefix, /dev/null for files that come or go, hunks, the marker of a missing last newline, and
git's extended headers for new and deleted files. Renames, copies, binary and mode changes are
refused, since a planted fault is one small change of text.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from models.doubles import doubles
from models.errors import Blame, FarmError

HUNK = re.compile(rb"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(?: .*)?$")
NO_NEWLINE = b"\\ No newline at end of file"
NOWHERE = "/dev/null"
REFUSED_HEADERS = (
    b"rename ",
    b"copy ",
    b"similarity ",
    b"Binary files",
    b"GIT binary",
    b"old mode",
)
QUIET_HEADERS = (b"diff ", b"index ", b"new file mode 100644", b"deleted file mode ")


class PatchRefused(FarmError):
    """A patch can't be applied exactly. `file` and `hunk` (1-based, 0: none) name the place."""

    blame = Blame.TASK
    exit_code = 2

    def __init__(self, file: str, hunk: int, problem: str) -> None:
        place = f"{file or 'the patch'}{f', hunk {hunk}' if hunk else ''}"
        super().__init__(
            f"{place}: {problem}.",
            remedy="Make the patch again with `diff -u` or `git diff` against the exact files.",
        )
        self.file = file
        self.hunk = hunk
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Hunk:
    """One hunk: lines to find from `start` on, and lines to put there, from `new_start` on.

    Both count from 0. Lines hold their line feed, except a last one without.
    """

    number: int
    start: int
    new_start: int
    before: tuple[bytes, ...]
    after: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class FilePatch:
    """The hunks of one file; `creates` and `deletes` tell files that come or go."""

    path: str
    creates: bool
    deletes: bool
    hunks: tuple[Hunk, ...]


def apply_patch(patch: bytes, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """`files` (path to bytes) with `patch` applied. Raises PatchRefused; changes no argument."""
    result = dict(files)
    for change in parse_patch(patch):
        patched = _patched(change, result.get(change.path))
        if patched is None:
            del result[change.path]
        else:
            result[change.path] = patched
    return result


def patch_folder(patch: bytes, folder: Path) -> tuple[str, ...]:
    """Apply `patch` to the files in `folder`; the paths that changed, in the patch's order.

    Writes only after the whole patch was found to apply, and never through a symbolic link.
    Raises PatchRefused.
    """
    paths = tuple(change.path for change in parse_patch(patch))
    before = {path: (folder / path).read_bytes() for path in paths if _is_plain(folder, path)}
    after = apply_patch(patch, before)
    for path in paths:
        if path in after:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(after[path])
        else:
            (folder / path).unlink()
    return paths


def _is_plain(folder: Path, path: str) -> bool:
    steps = [PurePosixPath(path), *PurePosixPath(path).parents]
    if any((folder / step).is_symlink() for step in steps[:-1]):
        raise PatchRefused(path, 0, "the path leads through a symbolic link")
    return (folder / path).is_file()


def parse_patch(patch: bytes) -> tuple[FilePatch, ...]:
    """The files of a unified diff in order. Raises PatchRefused where it is malformed."""
    reader = _Reader(patch)
    changes: list[FilePatch] = []
    while not reader.at_end():
        changes.append(_read_file(reader))
    if not changes:
        raise PatchRefused("", 0, "there is no change in it")
    for path in doubles(change.path for change in changes):
        raise PatchRefused(path, 0, "the file stands in the patch twice")
    return tuple(changes)


class _Reader:
    """The lines of a patch, without their line feeds."""

    def __init__(self, patch: bytes) -> None:
        self.lines = patch.split(b"\n")
        if self.lines[-1] == b"":
            self.lines.pop()
        self.next = 0

    def at_end(self) -> bool:
        return self.next >= len(self.lines)

    def peek(self) -> bytes:
        return b"" if self.at_end() else self.lines[self.next]

    def take(self) -> bytes:
        line = self.peek()
        self.next += 1
        return line


def _read_file(reader: _Reader) -> FilePatch:
    while not reader.peek().startswith(b"--- "):
        line = reader.take()
        if line.startswith(REFUSED_HEADERS):
            raise PatchRefused("", 0, f"{_text(line)!r} is refused: only text may change")
        if not line.startswith(QUIET_HEADERS):
            raise PatchRefused("", 0, f"line {reader.next}: expected a file header")
        if reader.at_end():
            raise PatchRefused("", 0, f"{_text(line)!r} has no hunks")
    old = _header_path(reader.take(), b"--- ", "a/")
    new = _header_path(reader.take(), b"+++ ", "b/")
    path = _the_path(old, new)
    hunks = tuple(_read_hunks(reader, path))
    if not hunks:
        raise PatchRefused(path, 0, "the file has no hunks")
    return FilePatch(path, creates=old == NOWHERE, deletes=new == NOWHERE, hunks=hunks)


def _header_path(line: bytes, mark: bytes, prefix: str) -> str:
    if not line.startswith(mark):
        raise PatchRefused("", 0, f"expected a line that starts with {_text(mark)!r}")
    name = _text(line.removeprefix(mark)).split("\t", 1)[0]
    return name if name == NOWHERE else name.removeprefix(prefix)


def _the_path(old: str, new: str) -> str:
    path = old if new == NOWHERE else new
    if old != new and NOWHERE not in (old, new):
        raise PatchRefused(path, 0, f"it would rename {old}")
    parts = PurePosixPath(path).parts
    if (
        not parts
        or path.startswith(("/", '"'))
        or ".." in parts
        or str(PurePosixPath(path)) != path
    ):
        raise PatchRefused(path, 0, "the path must be relative, plain and without '..'")
    return path


def _read_hunks(reader: _Reader, path: str) -> Iterator[Hunk]:
    number = 0
    while reader.peek().startswith(b"@@"):
        number += 1
        found = HUNK.match(reader.take())
        if found is None:
            raise PatchRefused(path, number, "its header can't be read")
        old, old_count, new, new_count = (1 if g is None else int(g) for g in found.groups())
        before, after = _read_lines(reader, path, number, (old_count, new_count))
        # An empty side is given by the line before it, any other one by its first line.
        yield Hunk(number, old - bool(old_count), new - bool(new_count), before, after)


def _read_lines(
    reader: _Reader, path: str, number: int, counts: tuple[int, int]
) -> tuple[tuple[bytes, ...], tuple[bytes, ...]]:
    before: list[bytes] = []
    after: list[bytes] = []
    sides = {b" ": (before, after), b"-": (before,), b"+": (after,)}
    while (len(before), len(after)) != counts:
        line = reader.take()
        # Some editors strip the blank of an empty context line, diff itself never does.
        if line[:1] not in sides:
            raise PatchRefused(path, number, "it has other line counts than its header says")
        text = line[1:] + b"\n"
        if reader.peek() == NO_NEWLINE:
            reader.take()
            text = line[1:]
        for side in sides[line[:1]]:
            side.append(text)
        if len(before) > counts[0] or len(after) > counts[1]:
            raise PatchRefused(path, number, "it has other line counts than its header says")
    return tuple(before), tuple(after)


def _patched(change: FilePatch, content: bytes | None) -> bytes | None:
    if change.creates and content is not None:
        raise PatchRefused(change.path, 0, "it would create a file that exists")
    if not change.creates and content is None:
        raise PatchRefused(change.path, 0, "there is no such file")
    lines = _split_lines(content or b"")
    done: list[bytes] = []
    position = 0
    for hunk in change.hunks:
        problem = _mismatch(lines, hunk, position)
        if problem:
            raise PatchRefused(change.path, hunk.number, problem)
        done += lines[position : hunk.start]
        if len(done) != hunk.new_start:
            problem = f"its new lines would start at line {len(done) + 1}, not where it says"
            raise PatchRefused(change.path, hunk.number, problem)
        done += hunk.after
        position = hunk.start + len(hunk.before)
    done += lines[position:]
    _refuse_inner_end(change, done)
    if change.deletes and done:
        raise PatchRefused(change.path, 0, "it would delete a file that holds more than it removes")
    return None if change.deletes else b"".join(done)


def _refuse_inner_end(change: FilePatch, lines: list[bytes]) -> None:
    if any(not line.endswith(b"\n") for line in lines[:-1]):
        raise PatchRefused(change.path, 0, "a line without line feed would not be the last one")


def _mismatch(lines: list[bytes], hunk: Hunk, position: int) -> str:
    """Why a hunk doesn't fit; empty where it does."""
    if hunk.start < position:
        return "it overlaps the hunk before it"
    if hunk.start + len(hunk.before) > len(lines):
        return f"it reaches behind the end of the file, which has {len(lines)} lines"
    for at, wanted in enumerate(hunk.before, start=hunk.start):
        if lines[at] != wanted:
            return f"line {at + 1} is {_text(lines[at])!r}, not {_text(wanted)!r}"
    return ""


def _split_lines(content: bytes) -> list[bytes]:
    lines = [line + b"\n" for line in content.split(b"\n")]
    last = lines.pop().removesuffix(b"\n")
    return [*lines, last] if last else lines


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
