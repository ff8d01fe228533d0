"""Every command that the README shows does what it says, in the order in which it is shown."""

import json
import re
import shlex
import shutil
import signal
import time
from collections.abc import Generator
from pathlib import Path

import pytest

import tasks_catalog
from tests.acceptance.farm_process import READY, FarmHome, farm_home, wait_for

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(1200)]

ROOT = Path(__file__).resolve().parents[2]
BUNDLED = Path(tasks_catalog.__file__).parent / "bundled" / "circuit-breaker"
LANGUAGES = ("go", "python")
TABLE = re.compile(r"^\| [^|]+ \| `(gradefarm [^`]+)` \|", re.MULTILINE)
SERVES = {
    "scheduler": "office",
    "worker --role agent": "bubblewrap",
    "worker --role grade": "bubblewrap",
}
NOT_HERE = {
    *("demo --fresh", "--install-completion", "up", "flower", "api --port 8600"),
    *("gateway", "gateway --check"),
    "recordings import ~/.claude/projects/*/*.jsonl",
    *("recordings show 1", "recordings export 1 --format atif", "recordings remove 1"),
}
"""Tested in files of their own, as imports are; completion writes to the shell."""


class SmallFarmHome(FarmHome):
    """The bundled task in two languages, so that the whole README fits into minutes."""

    @property
    def environment(self) -> dict[str, str]:
        tasks = self.home.parent / "tasks"
        if not tasks.exists():
            _copy_catalog(tasks)
        return super().environment | {
            "GRADEFARM_LANGUAGES": str(Path(tasks_catalog.__file__).parent / "languages"),
            "GRADEFARM_CATALOG_PUBLIC": str(tasks),
            "GRADEFARM_CATALOG_SEALED": str(tasks),
        }


def _copy_catalog(tasks: Path) -> None:
    task = tasks / BUNDLED.name
    shutil.copytree(BUNDLED, task)
    manifest = (task / "task.toml").read_text()
    names = ", ".join(f'"{name}"' for name in LANGUAGES)
    kept = re.sub(r"^languages = \[.*\]$", f"languages = [{names}]", manifest, flags=re.MULTILINE)
    assert kept != manifest
    (task / "task.toml").write_text(kept)
    for half in ("public", "sealed"):
        for folder in (task / half).iterdir():
            if folder.is_dir() and folder.name not in LANGUAGES:
                shutil.rmtree(folder)


def readme_commands() -> list[str]:
    """The words after `gradefarm` of every command in the README, in order."""
    text = (ROOT / "README.md").read_text()
    lines = [line for block in text.split("```")[1::2] for line in block.splitlines()]
    shown = [line.strip() for line in lines if line.startswith("gradefarm ")]
    shown += TABLE.findall(text)
    return [line.removeprefix("gradefarm ").strip() for line in shown]


@pytest.fixture
def farm(tmp_path: Path) -> Generator[SmallFarmHome]:
    with farm_home(tmp_path) as home:
        yield SmallFarmHome(home.home)


def test_every_command_of_the_readme_works(
    farm: SmallFarmHome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    commands = [
        command
        for command in readme_commands()
        if command not in NOT_HERE and not command.startswith("catalog import")
    ]
    assert len(commands) > 20, commands
    campaign = running = ""
    with farm.started("up", until=READY) as up:
        for command in commands:
            if any(command.startswith(known) for known in SERVES):
                continue
            if command == "campaign pause":
                # The one before has ended; this one goes on until it is cancelled.
                started = farm.run("campaign", "start", str(tmp_path / "my.toml"), "--json")
                running = json.loads(started.stdout)["id"]
            words = command.replace("demo-2", running if "cancel" in command else campaign)
            done = farm.run(*shlex.split(words), patience_s=400)
            assert done.returncode == 0, f"gradefarm {words}\n{done.stdout}\n{done.stderr}"
            assert done.stdout.strip(), f"gradefarm {words} printed nothing"
            if "--json" in words:
                json.loads(done.stdout)
            if command.startswith("campaign start"):
                newest = json.loads(farm.run("campaign", "status", "--json").stdout)
                campaign = newest["campaign"]["id"]
        assert up.stop(signal.SIGTERM) == 0


def test_the_parts_of_a_farm_run_on_their_own(farm: SmallFarmHome) -> None:
    with farm.started("up", until=READY) as up:
        for command in readme_commands():
            sign = next((sign for known, sign in SERVES.items() if command.startswith(known)), None)
            if sign is None:
                continue
            words = shlex.split(command)
            if words[0] == "worker":
                words += ["--name", f"second-{words[2]}"]
            with farm.started(*words, until=sign) as part:
                if words[0] == "worker":
                    wait_for(lambda name=words[-1]: name in farm.run("workers").stdout, 60)
                    time.sleep(3)
                assert part.stop(signal.SIGTERM) == 0, part.text
        assert up.stop(signal.SIGTERM) == 0
