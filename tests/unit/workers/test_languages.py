"""Tools are found as real programs, and caches are made once."""

import stat
import threading
from pathlib import Path

import pytest
from pydantic import ValidationError

from models.errors import Infrastructure
from models.schemas.language import LanguageDefinition, Toolchain
from workers.languages.folder_cache import make_once
from workers.languages.language_runtime import (
    WORK_AT,
    LanguageRuntime,
    matching_folders,
    toolchain_mounts,
)
from workers.languages.mypy_folder import mypy_place
from workers.languages.tool_location import LocatedTool, locate_toolchain, stamp_of

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


def plain_definition() -> dict[str, object]:
    return {
        "schema": 1,
        "id": "x",
        "title": "X",
        "files": ["*"],
        "toolchain": toolchain("x").model_dump(),
        "probe_files": {"main": "x"},
        "control_files": {"main": "x"},
        "run": {"argv": ["{tool}"]},
        "test": {"argv": ["sh"]},
    }


def test_placeholders_are_filled_everywhere() -> None:
    run = {
        "argv": ["{tool}", "{build}/p", "{work}/q"],
        "env": {"P": "{prefix}/bin", "C": "{cache}"},
    }
    definition = LanguageDefinition.model_validate(plain_definition() | {"run": run})
    runtime = LanguageRuntime(definition, Path("/opt/x/bin/x"), "1", "x 1", ())
    command = runtime.fill(definition.run)
    assert command.argv == ("/opt/x/bin/x", "/build/p", f"{WORK_AT}/q")
    assert command.env == {"P": "/opt/x/bin", "C": "/cache"}


def test_a_placeholder_that_stands_for_nothing_is_refused() -> None:
    definition = plain_definition()
    for place in ({"argv": ["{tol}"]}, {"argv": ["x"], "env": {"P": "{node_prefix}/bin"}}):
        with pytest.raises(ValidationError, match=r"\{(tol|node_prefix)\} stands for nothing"):
            LanguageDefinition.model_validate(definition | {"run": place})
    LanguageDefinition.model_validate(definition | {"run": {"argv": ["sh", "-c", "${tol}"]}})


@pytest.mark.skipif(not REAL_PYTHON.exists(), reason="no /usr/bin/python3")
def test_a_launcher_leads_to_the_program_that_it_stands_for(tmp_path: Path) -> None:
    launcher = script(tmp_path / "python3", f"#!/bin/sh\necho {REAL_PYTHON}\n")
    wanted = toolchain("python3").model_copy(update={"locate": ("{tool}",)})
    assert locate_toolchain("python", wanted, str(tmp_path)).tool.path == REAL_PYTHON.resolve()
    launcher.write_text("#!/bin/sh\nexit 1\n")
    with pytest.raises(Infrastructure, match="python3: not found"):
        locate_toolchain("python", wanted, str(tmp_path))


@pytest.mark.skipif(not REAL_PYTHON.exists(), reason="no /usr/bin/python3")
def test_companions_are_found_near_the_tool_and_named_with_their_versions() -> None:
    near = toolchain("{prefix}/bin/python3")
    wanted = toolchain(str(REAL_PYTHON)).model_copy(update={"companions": {"other": near}})
    found = locate_toolchain("python", wanted, "")
    version = found.tool.version
    assert found.companions["other"].path == REAL_PYTHON.resolve()
    assert found.versions == f"{version} other {version}"


def test_a_companion_that_is_missing_makes_the_language_unready() -> None:
    near = toolchain("{prefix}/bin/no-such-thing")
    wanted = toolchain("/usr/bin/python3").model_copy(update={"companions": {"linker": near}})
    with pytest.raises(
        Infrastructure, match=r"python \(linker\): /usr/bin/no-such-thing: not found"
    ):
        locate_toolchain("python", wanted, "")


@pytest.mark.parametrize("name", ["tool", "work", "prefix", "Big", "two words"])
def test_a_companion_needs_a_name_of_its_own(name: str) -> None:
    other = toolchain("x").model_dump(
        include={"candidates", "version", "version_pattern", "minimum"}
    )
    with pytest.raises(ValidationError):
        Toolchain.model_validate(toolchain("x").model_dump() | {"companions": {name: other}})


def test_a_companion_that_was_exchanged_is_as_bad_as_another_tool(tmp_path: Path) -> None:
    tool, companion = script(tmp_path / "tool", "1"), script(tmp_path / "linker", "1")
    located = LocatedTool(companion, "1.0", stamp_of(companion))
    definition = LanguageDefinition.model_validate(plain_definition())
    runtime = LanguageRuntime(
        definition, tool, "1", "x 1 ld 1.0", (), stamp=stamp_of(tool), companions={"ld": located}
    )
    runtime.refuse_other_tool()
    script(tmp_path / "new", "2").replace(companion)
    with pytest.raises(Infrastructure, match="linker was exchanged") as caught:
        runtime.refuse_other_tool()
    assert caught.value.category == "toolchain_mismatch"
    companion.unlink()
    with pytest.raises(Infrastructure, match="linker is gone") as caught:
        runtime.refuse_other_tool()
    assert caught.value.category == "toolchain_missing"


def test_folders_that_match_nothing_are_left_out(tmp_path: Path) -> None:
    for name in ("java-17", "java-21", "other"):
        (tmp_path / name).mkdir()
    patterns = [f"{tmp_path}/java-*", "/no/such-*"]
    assert matching_folders(patterns) == (tmp_path / "java-17", tmp_path / "java-21")


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
