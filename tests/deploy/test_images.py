"""The images: each role holds what it needs, and the agent's no answer in any layer."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

import tasks_catalog
from tests.deploy.deploy_files import (
    DEPLOY,
    ROOT,
    image_environment,
    instructions,
    last,
    lineage,
    run_tool,
    stages,
    tool,
)

TARGETS = ("scheduler", "api", "flower", "gateway", "agent", "grade")
BUNDLED = Path(tasks_catalog.__file__).parent / "bundled"
COMPILERS = re.compile(r"\b(g\+\+|gcc|rustc|golang|jdk|nodejs|npm)\b")
LANGUAGES = "opt/gradefarm/lib/python3*/site-packages/tasks_catalog/languages"
HADOLINT = Path(sys.executable).parent / "hadolint"


def test_the_containerfile_has_no_fault_that_hadolint_knows() -> None:
    program = str(HADOLINT) if HADOLINT.exists() else tool("hadolint")
    done = run_tool(program, DEPLOY / "images" / "Containerfile")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("target", TARGETS)
def test_every_image_runs_as_a_plain_user_under_an_init_and_says_how_it_is(target: str) -> None:
    assert last(target, "USER") == "10001:10001"
    assert json.loads(last(target, "ENTRYPOINT")) == ["/usr/bin/tini", "-s", "--", "gradefarm"]
    assert last(target, "STOPSIGNAL") == "SIGTERM"
    assert "CMD" in last(target, "HEALTHCHECK")
    assert json.loads(last(target, "CMD"))


@pytest.mark.parametrize("target", ["scheduler", "gateway", "agent", "grade"])
def test_figures_of_an_image_can_be_fetched_from_outside_its_container(target: str) -> None:
    settings = image_environment(target)
    assert settings["GRADEFARM_METRICS_ADDRESS"] == "0.0.0.0"
    assert ("EXPOSE", settings["GRADEFARM_METRICS_PORT"]) in instructions(target)


def test_every_base_is_named_with_a_version() -> None:
    text = (DEPLOY / "images" / "Containerfile").read_text()
    base = re.search(r"^ARG BASE=(\S+):(\S+)$", text, re.MULTILINE)
    assert base
    assert base[2] not in {"latest", "stable", "slim"}
    for lines in stages().values():
        source = lines[0][1].split()[0]
        assert source in stages() or source == "${BASE}"


def test_only_what_runs_judged_code_holds_compilers() -> None:
    for target in TARGETS:
        installed = " ".join(v for kind, v in instructions(target) if kind == "RUN")
        assert bool(COMPILERS.search(installed)) == (target in {"agent", "grade"}), target


def test_no_layer_of_the_agent_image_begins_with_the_sealed_half() -> None:
    for target in ("agent", "gateway", "flower"):
        for kind, value in instructions(target):
            assert "sealed" not in value or (kind, value) == ("ENV", value), (target, value)
        assert image_environment(target)["GRADEFARM_CATALOG_SEALED"] == ""
        assert "built" not in lineage(target), "its layers would hold what was removed later"
    for target in ("scheduler", "api", "grade"):
        assert image_environment(target)["GRADEFARM_CATALOG_SEALED"] == "/srv/catalog/sealed"


def test_judged_code_sees_neither_the_farm_nor_the_answers_of_an_image() -> None:
    """Sandboxes show /usr; whatever the farm copies in has to lie elsewhere."""
    for target in TARGETS:
        for kind, value in instructions(target):
            if kind == "COPY" and "typescript" not in value:
                assert not value.split()[-1].startswith("/usr"), value


def test_the_build_context_is_what_the_images_are_made_of() -> None:
    lines = (DEPLOY / "images" / "Containerfile.dockerignore").read_text().splitlines()
    assert lines[1] == "*"
    let_in = {line[1:] for line in lines if line.startswith("!")}
    copied = {
        word for kind, value in stages()["built"] if kind == "COPY" for word in value.split()[:-1]
    }
    assert let_in == copied


def test_the_profile_for_workers_takes_nothing_away_that_bubblewrap_needs() -> None:
    profile = json.loads((DEPLOY / "images" / "seccomp.json").read_text())
    refused = {name for rule in profile["syscalls"] for name in rule["names"]}
    assert profile["defaultAction"] == "SCMP_ACT_ALLOW"
    assert all(rule["action"] == "SCMP_ACT_ERRNO" for rule in profile["syscalls"])
    assert not refused & {"clone", "clone3", "unshare", "mount", "umount2", "pivot_root", "setns"}
    assert {"bpf", "ptrace", "io_uring_setup", "open_by_handle_at", "kexec_load"} <= refused


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root in which the RUN lines of the stage `built` were run, word for word but for paths.

    The farm's dependencies are there already, so that nothing but the farm is installed.
    """
    root = tmp_path_factory.mktemp("built")
    source = root / "src"
    ignore = shutil.ignore_patterns("__pycache__")
    for name in ("models", "tasks_catalog", "workers", "scheduler"):
        shutil.copytree(ROOT / name, source / name, ignore=ignore)
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, source)
    known = root / "known"
    known.mkdir()
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if "gradefarm" not in entry.name and not entry.name.startswith("pip"):
            (known / entry.name).symlink_to(entry)
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment = kept | {
        "PATH": f"{root}/opt/gradefarm/bin:{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(known),
        "PYTHONSAFEPATH": "1",
    }
    for kind, value in stages()["built"]:
        if kind != "RUN" or "apt-get" in value:
            continue
        script = re.sub(r"(?<![\w.}])/(opt/gradefarm|srv/catalog|wheels)", rf"{root}/\1", value)
        done = subprocess.run(
            ["sh", "-ec", script],
            cwd=source,
            env=environment,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
        assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"
    compiled = [file for name in (LANGUAGES, "srv") for file in root.glob(f"{name}/**/*.pyc")]
    assert not compiled
    assert any(root.glob("opt/gradefarm/lib/python3*/site-packages/tasks_catalog/*/*.pyc"))
    return root


def _digests(folder: Path) -> dict[str, Path]:
    """The files below `folder` by what they hold; empty ones, and such as say nothing, apart."""
    found = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return {
        hashlib.sha256(path.read_bytes()).hexdigest(): path
        for path in found
        if len(path.read_bytes()) > 64
    }


@pytest.mark.timeout(300)
def test_what_the_agent_image_copies_holds_no_file_of_the_sealed_half(built: Path) -> None:
    sealed = _digests(built / "srv/catalog/sealed")
    public = _digests(built / "srv/catalog/public")
    bundled = {d for half in BUNDLED.glob("*/sealed") for d in _digests(half)}
    assert len(sealed) > 500
    assert bundled <= set(sealed) | set(public), "the export left something of the sealed half out"
    farm = _digests(built / "opt/gradefarm")
    for holds in (farm, public):
        shared = [holds[digest] for digest in (set(sealed) - set(public)) & set(holds)]
        assert not shared, shared[:5]
    assert not (set(bundled) - set(public)) & set(farm)


@pytest.fixture
def as_a_stranger(built: Path) -> Iterator[tuple[str, ...]]:
    """What goes before a command that may write nothing of what an image holds, as uid 10001."""
    held = (built / "opt", built / "srv")
    words = ("setpriv", "--inh-caps=-dac_override", "--bounding-set=-dac_override")
    assert run_tool("chmod", "-R", "a-w", *held).returncode == 0
    try:
        yield words if os.geteuid() == 0 else ()
    finally:
        assert run_tool("chmod", "-R", "u+w", *held).returncode == 0


@pytest.mark.timeout(300)
@pytest.mark.parametrize("sealed", ["", "srv/catalog/sealed"], ids=["agent", "grade"])
def test_the_farm_of_an_image_works_where_it_can_write_nothing_of_it(
    built: Path, as_a_stranger: tuple[str, ...], sealed: str
) -> None:
    [languages] = built.glob(LANGUAGES)
    assert run_tool(*as_a_stranger, "touch", languages / "x").returncode != 0
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(built / "known"),
        "GRADEFARM_HOME": str(built / "home"),
        "GRADEFARM_CATALOG_PUBLIC": str(built / "srv/catalog/public"),
        "GRADEFARM_CATALOG_SEALED": sealed and str(built / sealed),
    }
    farm = str(built / "opt/gradefarm/bin/gradefarm")
    for words in (("catalog", "list", "--json"), ("worker", "--help")):
        done = subprocess.run(
            [*as_a_stranger, farm, *words],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        if words[0] == "catalog":
            listed = json.loads(done.stdout)
            assert len(listed["tasks"]) == len(list(BUNDLED.iterdir())), listed
