"""Only the sealed tests are there when a suite is graded."""

from pathlib import Path

import pytest

from models.schemas.suite import NativeSuite, SuiteRunner
from workers.checks.suite_files import SealedSuite, lay_suite, remove_matching

RUNNER = SuiteRunner.model_validate(
    {
        "schema": 1,
        "report": "lines",
        "failed_exit": 1,
        "test_files": ["*_test.py", "__pycache__/", "conftest.py"],
        "canaries": {"native": "{name}", "passing": ["{name}"], "failing": ["{name}"]},
        "run": {"argv": ["true"]},
    }
)
SUITE = NativeSuite(schema=1, entries=("a_test.py",), runs="runs", tests={"A": "a"})


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def sealed(tmp_path: Path) -> SealedSuite:
    files = write(tmp_path / "suite", {"a_test.py": "sealed", "deep/b_test.py": "sealed too"})
    return SealedSuite(SUITE, files, RUNNER, tmp_path)


def test_tests_of_an_agent_are_removed_and_the_sealed_ones_laid_over(
    tmp_path: Path, sealed: SealedSuite
) -> None:
    sources = write(
        tmp_path / "sources",
        {
            "a.py": "solution",
            "a_test.py": "mine",
            "c_test.py": "mine",
            "deep/conftest.py": "mine",
            "deep/__pycache__/a_test.pyc": "mine",
            "conftest.txt": "no test",
        },
    )
    lay_suite(sealed, sources, "canary")
    assert names(sources) == {"a.py", "conftest.txt", "a_test.py", "deep/b_test.py"}
    assert (sources / "a_test.py").read_text() == "sealed\ncanary"
    assert (sealed.files / "a_test.py").read_text() == "sealed"


def test_links_are_removed_and_never_followed(tmp_path: Path, sealed: SealedSuite) -> None:
    sources = write(tmp_path / "sources", {"a.py": "solution"})
    (sources / "deep").symlink_to(".")
    (sources / "a_test.py").symlink_to("a.py")
    (sources / "conftest.py").symlink_to("nowhere")
    (sources / "__pycache__").symlink_to(".")
    lay_suite(sealed, sources, "canary")
    assert names(sources) == {"a.py", "a_test.py", "deep/b_test.py"}
    assert (sources / "a.py").read_text() == "solution"
    assert not (sources / "deep").is_symlink()


def test_a_folder_where_a_test_should_be_gives_way(tmp_path: Path, sealed: SealedSuite) -> None:
    sources = write(tmp_path / "sources", {"a_test.py/x.py": "mine", "deep": "a file"})
    lay_suite(sealed, sources, "canary")
    assert names(sources) == {"a_test.py", "deep/b_test.py"}


def test_patterns_meet_names_at_any_depth_and_whole_paths(tmp_path: Path) -> None:
    sources = write(
        tmp_path,
        {"tests/a.rs": "", "src/tests/b.rs": "", "tests.rs": "", "src/build.rs": "", "keep.rs": ""},
    )
    remove_matching(sources, ("/tests/", "build.rs"))
    assert names(sources) == {"tests.rs", "keep.rs", "src/tests/b.rs"}
    remove_matching(sources, ("tests/", "/keep.*"))
    assert names(sources) == {"tests.rs"}
