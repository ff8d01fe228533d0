"""Tools are found as real programs, and caches are made once."""

import stat
import threading
from pathlib import Path

import pytest

from models.errors import Infrastructure
from models.schemas.language import LanguageDefinition, Toolchain
from workers.languages.folder_cache import make_once
from workers.languages.language_runtime import WORK_AT, LanguageRuntime, toolchain_mounts
from workers.languages.mypy_folder import mypy_place
from workers.languages.tool_location import locate_toolchain

REAL_PYTHON = Path("/usr/bin/python3")


def toolchain(*candidates: str, minimum: str = "3.0") -> Toolchain:
    return Toolchain(
        candidates=candidates,
        version=("{tool}", "--version"),
        version_pattern=r"Python (\d+\.\d+\.\d+)",
        minimum=minimum,
        remedy="Install it.",
    )


def script(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.mark.skipif(not REAL_PYTHON.exists(), reason="no /usr/bin/python3")
def test_a_tool_is_found_by_its_real_path(tmp_path: Path) -> None:
    (tmp_path / "python3").symlink_to(REAL_PYTHON)
    found = locate_toolchain("python", toolchain("python3"), str(tmp_path)).tool
    assert found.path == REAL_PYTHON.resolve()
    assert found.prefix == Path("/usr")
    assert found.version.startswith("3.")


def test_a_shim_is_passed_over(tmp_path: Path) -> None:
    script(tmp_path / "python3", "#!/bin/sh\necho Python 3.12.1\n")
    with pytest.raises(Infrastructure, match="a shim") as caught:
        locate_toolchain("python", toolchain("python3"), str(tmp_path))
    assert caught.value.category == "toolchain_missing"
    assert caught.value.remedy == "Install it."


@pytest.mark.skipif(not REAL_PYTHON.exists(), reason="no /usr/bin/python3")
def test_a_tool_that_is_too_old_says_both_versions() -> None:
    with pytest.raises(Infrastructure, match=r"3\.\d+\.\d+, wanted 9\.1"):
        locate_toolchain("python", toolchain(str(REAL_PYTHON), minimum="9.1"), "")


def test_a_missing_tool_names_every_candidate() -> None:
    with pytest.raises(Infrastructure, match=r"/no/such: not found; nor-this: not found"):
        locate_toolchain("python", toolchain("/no/such", "nor-this"), "")


def test_versions_are_compared_as_numbers() -> None:
    with pytest.raises(Infrastructure, match=r"wanted 3\.100"):
        locate_toolchain("python", toolchain(str(REAL_PYTHON), minimum="3.100"), "")


def test_placeholders_are_filled_everywhere() -> None:
    definition = LanguageDefinition.model_validate(
        {
            "schema": 1,
            "id": "x",
            "title": "X",
            "files": ["*"],
            "toolchain": toolchain("x").model_dump(),
            "probe_files": {"main": "x"},
            "control_files": {"main": "x"},
            "run": {
                "argv": ["{tool}", "{build}/p", "{work}/q"],
                "env": {"P": "{prefix}/bin", "C": "{cache}"},
            },
            "test": {"argv": ["sh"]},
        }
    )
    runtime = LanguageRuntime(definition, Path("/opt/x/bin/x"), "1", "x 1", ())
    command = runtime.fill(definition.run)
    assert command.argv == ("/opt/x/bin/x", "/build/p", f"{WORK_AT}/q")
    assert command.env == {"P": "/opt/x/bin", "C": "/cache"}


def test_what_the_sandbox_shows_anyway_is_not_mounted_again() -> None:
    mounts = toolchain_mounts((Path("/usr"), Path("/usr/local/go"), Path("/opt/x"), Path("/opt/x")))
    assert [mount.target for mount in mounts] == ["/opt/x"]


def test_a_folder_is_made_once_however_many_ask(tmp_path: Path) -> None:
    made: list[Path] = []

    def make(draft: Path) -> None:
        made.append(draft)
        (draft / "done").write_text("yes")

    folder = tmp_path / "caches" / "x"
    threads = [threading.Thread(target=make_once, args=(folder, make)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    assert (folder / "done").read_text() == "yes"


def test_a_folder_that_could_not_be_made_leaves_nothing(tmp_path: Path) -> None:
    def fail(draft: Path) -> None:
        (draft / "half").write_text("")
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        make_once(tmp_path / "x", fail)
    assert list(tmp_path.iterdir()) == []


def test_mypy_is_refused_for_an_interpreter_of_another_version(tmp_path: Path) -> None:
    with pytest.raises(Infrastructure, match=r"but the language's interpreter is 3\.1\.0"):
        mypy_place(tmp_path, "3.1.0")
