"""What prose promises is there: paths exist, commands are real, every command is documented."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "DECISIONS.md", "CHANGELOG.md")
PATH = re.compile(
    r"`((?:models|tasks_catalog|workers|scheduler|deploy|tests|\.ci)/[A-Za-z0-9_./<>*-]*)`"
)
COMMAND = re.compile(r"^\s*(?:\$ )?((?:\.venv/bin/)?gradefarm (?:[a-z-]+ ?)+)", re.MULTILINE)
BIN = Path(sys.executable).parent


def gradefarm(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(BIN / "gradefarm"), *words], capture_output=True, text=True, timeout=60, check=False
    )


def all_commands() -> list[tuple[str, ...]]:
    """Every leaf command of the command line, read from its own tree."""
    from scheduler.cli.main import command_tree

    return command_tree()


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_path_in_a_document_exists(document: str) -> None:
    text = (ROOT / document).read_text()
    for path in PATH.findall(text):
        if "<" in path or "*" in path:
            continue
        assert (ROOT / path).exists(), f"{document} names {path}, which is not there"


def test_every_command_is_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text()
    missing = [" ".join(words) for words in all_commands() if " ".join(words) not in readme]
    assert not missing, f"README.md does not show: {', '.join(missing)}"


def test_every_command_that_the_readme_shows_exists() -> None:
    known = {" ".join(words) for words in all_commands()}
    groups = {words[0] for words in all_commands()}
    for shown in COMMAND.findall((ROOT / "README.md").read_text()):
        words = shown.replace(".venv/bin/", "").split()[1:]
        if not words:
            continue
        assert words[0] in groups, shown
        assert any(" ".join(words[:n]) in known for n in (1, 2)), shown


def test_every_command_explains_itself() -> None:
    for words in all_commands():
        shown = gradefarm(*words, "--help")
        assert shown.returncode == 0, (words, shown.stderr)
        assert len(shown.stdout.splitlines()) > 3, words


@pytest.mark.parametrize("target", ["run", "test", "check", "gate", "bench"])
def test_every_make_target_of_the_readme_exists(target: str) -> None:
    makefile = (ROOT / "Makefile").read_text()
    assert f"make {target}" in (ROOT / "README.md").read_text()
    assert re.search(rf"^{target}:", makefile, re.MULTILINE)
