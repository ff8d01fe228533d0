"""Lays a native test suite over a graded state, and takes out every other test."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from models.schemas.suite import NativeSuite, SuiteRunner
from tasks_catalog.file_tree import walk
from tasks_catalog.suite_rules import is_test
from workers.checks.protected_files import clear_path
from workers.tree_copy import copy_file


@dataclass(frozen=True, slots=True)
class SealedSuite:
    """A task's suite in one language with what runs it: records, and the folders of their files."""

    suite: NativeSuite
    files: Path
    runner: SuiteRunner
    runner_files: Path


def lay_suite(sealed: SealedSuite, sources: Path, canaries: str) -> None:
    """Make `sources` hold exactly the sealed tests, and `canaries` behind the first of them.

    Whatever else has the name of a test, or of something that steers test runners, is removed;
    links are removed and never followed.
    """
    remove_matching(sources, sealed.runner.test_files)
    for name, _ in walk(sealed.files):
        clear_path(sources, name)
        copy_file(sealed.files / name, sources / name)
    with (sources / sealed.suite.entries[0]).open("ab") as entry:
        entry.write(b"\n" + canaries.encode("utf-8"))


def remove_matching(sources: Path, patterns: tuple[str, ...]) -> None:
    """Remove every file, folder and link that is a test by one of a runner's patterns."""
    for root, folders, files in os.walk(sources):
        here = Path(root)
        for name in (*folders, *files):
            path = here / name
            plain = path.is_dir() and not path.is_symlink()
            if not is_test(path.relative_to(sources).as_posix(), patterns, is_folder=plain):
                continue
            if plain:
                shutil.rmtree(path)
                folders.remove(name)
            else:
                path.unlink()
