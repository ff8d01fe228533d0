"""Builds are remembered, good and bad; protected files come back; evidence is kept."""

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import JsonValue

from models.errors import FarmError, Infrastructure
from models.schemas.check import Check
from models.schemas.language import LanguageDefinition
from models.schemas.task import TaskLimits
from models.storage.artifacts import FolderArtifacts
from models.verdicts import CheckOutcome
from tests.conftest import miss
from workers.checks.build import GradingBench, build_once
from workers.checks.evidence import SHORT_BYTES, evidence_of
from workers.checks.process_transport import JudgedProgram, ask, check_limits
from workers.checks.protected_files import restore_protected
from workers.languages.language_runtime import LanguageRuntime
from workers.languages.preparation import prepare_language
from workers.sandbox.outcome import Ending, SandboxOutcome
from workers.sandbox.sandbox import Sandbox
from workers.sandbox.selection import select_sandbox
from workers.stage_stopped import StageStopped

COPYING = LanguageDefinition.model_validate(
    {
        "schema": 1,
        "id": "copying",
        "title": "Shell, compiled by copying",
        "files": ["*.sh"],
        "toolchain": {
            "candidates": ["/usr/bin/env"],
            "version": ["{tool}", "--version"],
            "version_pattern": r"coreutils\) (\d+\.\d+)",
            "minimum": "1.0",
        },
        "build": {"argv": ["/bin/sh", "-eu", "build.sh"], "env": {"TARGET": "{build}/program"}},
        "probe_files": {"build.sh": "cp main.sh $TARGET", "main.sh": "echo ready"},
        "control_files": {"build.sh": "cp main.sh $TARGET", "main.sh": "exit 1"},
        "run": {"argv": ["/bin/sh", "{build}/program"]},
        "test": {"argv": ["true"]},
    }
)
LIMITS = TaskLimits(agent_wall_s=10, check_wall_s=5, memory_mb=64)


@pytest.fixture(scope="module")
def machine() -> Iterator[tuple[Path, Sandbox, LanguageRuntime]]:
    scratch = Path(tempfile.mkdtemp(prefix="gradefarm-grading-", dir="/var/tmp"))
    scratch.chmod(0o755)
    try:
        sandbox = select_sandbox(scratch)
        runtime = prepare_language(COPYING, sandbox, scratch, "")
    except FarmError as error:
        miss(str(error))
    yield scratch, sandbox, runtime
    sandbox.close()
    shutil.rmtree(scratch, ignore_errors=True)


@pytest.fixture
def bench(machine: tuple[Path, Sandbox, LanguageRuntime]) -> Iterator[GradingBench]:
    scratch, sandbox, runtime = machine
    store = FolderArtifacts(scratch / "artifacts").put
    yield GradingBench(sandbox, runtime, store, scratch / "builds", lambda: False)
    shutil.rmtree(scratch / "builds", ignore_errors=True)


def sources(scratch: Path, **files: str) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="sources-", dir=scratch))
    folder.chmod(0o755)
    for name, text in files.items():
        (folder / f"{name}.sh").write_text(text)
    return folder


def check(text: str = "", **given: JsonValue) -> Check:
    return Check.model_validate(
        {
            "id": "one",
            "title": "One",
            "transport": "process",
            "input": given,
            "expect": {"stdout": text},
            "compare": {"kind": "text"},
        }
    )


@pytest.mark.real
def test_equal_content_is_built_once(bench: GradingBench) -> None:
    first = sources(bench.builds.parent, build="cp main.sh $TARGET", main="echo hello")
    with build_once(bench, first, "content-1", 30) as (result, built):
        assert (result.needed, result.ok, result.cached) == (True, True, False)
        assert built is not None
    shutil.rmtree(first)
    with build_once(bench, first, "content-1", 30) as (again, same):
        assert again.cached
        assert same == built
        assert again.evidence == result.evidence


@pytest.mark.real
def test_a_failed_build_is_remembered_with_what_the_compiler_said(bench: GradingBench) -> None:
    broken = sources(bench.builds.parent, build="echo line 7 is wrong >&2; exit 2")
    for cached in (False, True):
        with build_once(bench, broken, "content-2", 30) as (result, built):
            pass
        assert (result.ok, result.cached, built) == (False, cached, None)
        assert result.outcome is CheckOutcome.BUILD_FAILED
        assert result.evidence is not None
        assert result.evidence.stderr_text == "line 7 is wrong\n"


@pytest.mark.real
def test_a_build_that_never_ends_is_a_failed_build(bench: GradingBench) -> None:
    endless = sources(bench.builds.parent, build="while :; do :; done")
    with build_once(bench, endless, "content-3", 1) as (result, _):
        assert result.outcome is CheckOutcome.BUILD_FAILED


@pytest.mark.real
@pytest.mark.parametrize(("limit", "slow"), [("wall_timeout", "sleep 20"), ("output_limit", "yes")])
def test_a_build_that_a_limit_ended_is_built_again(
    bench: GradingBench, limit: str, slow: str
) -> None:
    unlucky = sources(bench.builds.parent, build=slow)
    content = f"unlucky-{limit}"
    with build_once(bench, unlucky, content, 3) as (result, built):
        assert (result.ok, built) == (False, None)
        assert result.outcome is CheckOutcome.BUILD_FAILED
        assert result.evidence is not None
        assert result.evidence.ending == limit
    assert list(bench.builds.iterdir()) == []
    (unlucky / "build.sh").write_text("echo fine > $TARGET")
    with build_once(bench, unlucky, content, 3) as (again, built):
        assert (again.ok, again.cached) == (True, False)
        assert built is not None


@pytest.mark.real
def test_a_bench_that_remembers_nothing_builds_every_time_and_leaves_nothing(
    bench: GradingBench,
) -> None:
    folder = sources(bench.builds.parent, build="cp main.sh $TARGET", main="echo hello")
    with build_once(bench, folder, "content-7", 30) as (result, _):
        assert not result.cached
    proving = replace(bench, remembers=False)
    for _ in range(2):
        with build_once(proving, folder, "content-7", 30) as (result, built):
            assert (result.ok, result.cached) == (True, False)
            assert built is not None
            assert built.is_dir()
    assert len([path for path in bench.builds.iterdir() if path.is_dir()]) == 1


@pytest.mark.real
def test_a_build_that_writes_more_than_a_program_needs_has_failed(bench: GradingBench) -> None:
    folder = sources(bench.builds.parent, build="truncate -s 200M $TARGET")
    with build_once(bench, folder, "content-8", 30) as (result, built):
        assert (result.outcome, built) == (CheckOutcome.BUILD_FAILED, None)
    held = sum(path.lstat().st_size for path in bench.builds.rglob("*"))
    assert held < 1 << 20


@pytest.mark.real
def test_a_build_cannot_plant_links_that_lead_out(bench: GradingBench) -> None:
    folder = sources(
        bench.builds.parent,
        build="ln -s /etc/passwd $TARGET; mkfifo $TARGET.pipe; echo fine > $TARGET.txt",
    )
    with build_once(bench, folder, "content-4", 30) as (_, built):
        assert built is not None
        assert [path.name for path in built.iterdir()] == ["program.txt"]


@pytest.mark.real
def test_a_build_that_the_farm_could_not_run_is_not_remembered(bench: GradingBench) -> None:
    folder = sources(bench.builds.parent, build="cp main.sh $TARGET", main="echo hello")
    stopped = replace(bench, cancelled=lambda: True)
    slow = sources(bench.builds.parent, build="sleep 30")
    with pytest.raises(StageStopped), build_once(stopped, slow, "content-5", 60):
        pass
    gone = folder / "never-there"
    with pytest.raises((Infrastructure, OSError)), build_once(bench, gone, "content-5", 30):
        pass
    with build_once(bench, folder, "content-5", 30) as (result, _):
        assert result.ok
        assert not result.cached


@pytest.mark.real
def test_a_program_gets_its_arguments_input_and_files_and_nothing_of_the_last_check(
    bench: GradingBench,
) -> None:
    main = 'echo "$@"; cat; cat given.txt deep/er.txt; ls left 2>&1; echo x > left'
    folder = sources(bench.builds.parent, build="cp main.sh $TARGET", main=main)
    with build_once(bench, folder, "content-6", 30) as (_, built):
        pass
    program = JudgedProgram(bench.runtime, folder, built, LIMITS)
    asked = check(
        argv=["-n", "two words"],
        stdin="typed\n",
        files={"given.txt": "from a file\n", "deep/er.txt": "deeper\n"},
    )
    for _ in range(2):
        outcome = ask(bench.sandbox, program, asked, lambda: False)
        assert outcome.ending is Ending.exited, outcome
        words = outcome.stdout.decode()
        assert words.startswith("two words") or words.startswith("-n two words")
        assert "typed\nfrom a file\ndeeper\n" in words
        assert "No such file" in words


def test_only_time_depends_on_the_language() -> None:
    plain, slow = check_limits(LIMITS, 1.0, 1.0), check_limits(LIMITS, 2.0, 3.0)
    assert slow.wall_s == plain.wall_s * 6
    assert slow.memory_bytes == plain.memory_bytes == 64 << 20
    assert slow.output_bytes == plain.output_bytes


def test_protected_files_come_back_and_additions_to_them_go(tmp_path: Path) -> None:
    starter, left = tmp_path / "starter", tmp_path / "left"
    (starter / "tests").mkdir(parents=True)
    (starter / "tests" / "a.txt").write_text("original")
    (starter / "run.sh").write_text("original")
    (starter / "run.sh").chmod(0o755)
    (left / "tests" / "deep").mkdir(parents=True)
    (left / "tests" / "a.txt").write_text("forged")
    (left / "tests" / "deep" / "b.txt").write_text("added")
    (left / "own.txt").write_text("kept")
    restore_protected(starter, left, ("run.sh", "tests/", "absent.txt"))
    assert (left / "tests" / "a.txt").read_text() == "original"
    assert (left / "run.sh").stat().st_mode & 0o111
    assert not (left / "tests" / "deep").exists()
    assert (left / "own.txt").read_text() == "kept"


def test_a_link_in_place_of_a_protected_folder_is_not_followed(tmp_path: Path) -> None:
    starter, left, outside = tmp_path / "starter", tmp_path / "left", tmp_path / "outside"
    for folder in (starter / "tests" / "unit", left, outside / "unit"):
        folder.mkdir(parents=True)
    (starter / "tests" / "unit" / "a.txt").write_text("original")
    (outside / "unit" / "a.txt").write_text("mine")
    (left / "tests").symlink_to(outside)
    restore_protected(starter, left, ("tests/unit/",))
    assert (outside / "unit" / "a.txt").read_text() == "mine"
    assert (left / "tests" / "unit" / "a.txt").read_text() == "original"
    assert not (left / "tests").is_symlink()


def test_short_text_is_kept_in_the_report_and_the_rest_as_artifacts(tmp_path: Path) -> None:
    store = FolderArtifacts(tmp_path)
    long = b"x" * (SHORT_BYTES + 1)
    outcome = SandboxOutcome(Ending.exited, 0, None, b"short", long, 0.1, 0.1, 1, ("a note",), None)
    evidence = evidence_of(outcome, "", store.put)
    assert (evidence.stdout, evidence.stdout_text) == ("", "short")
    assert evidence.stderr_text == ""
    assert store.get(evidence.stderr) == long
    binary = SandboxOutcome(Ending.exited, 0, None, b"\xff", b"", 0.1, 0.1, 1, (), None)
    assert store.get(evidence_of(binary, "", store.put).stdout) == b"\xff"
