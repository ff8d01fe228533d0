"""What the pages below deploy/ say: alerts have their headings, commands and paths exist."""

import re
import shlex
import subprocess

from scheduler.cli.main import command_tree
from scheduler.cli.server_choice import LOCAL_ONLY
from tests.deploy.deploy_files import DEPLOY, GRADEFARM, ROOT, read_yaml
from tests.deploy.metric_names import rules

RUNBOOK = (DEPLOY / "runbook.md").read_text()
README = (DEPLOY / "README.md").read_text()
COMMAND = re.compile(r"`(gradefarm [^`]+)`")
PATH = re.compile(r"`((?:deploy|tests|tasks_catalog)/[A-Za-z0-9_./*-]+)`")
VARIABLE = re.compile(r"GRADEFARM_[A-Z0-9_]+")


def blocks(text: str) -> list[str]:
    """The commands of gradefarm in code blocks, each once, in order."""
    lines = [line.strip() for block in text.split("```")[1::2] for line in block.splitlines()]
    return list(dict.fromkeys(line for line in lines if line.startswith("gradefarm ")))


def mentioned(text: str) -> list[str]:
    """The commands of gradefarm in running text."""
    return list(dict.fromkeys(COMMAND.findall(text)))


def test_the_runbook_has_one_heading_for_each_alert() -> None:
    headings = re.findall(r"^## (\S+)$", RUNBOOK, re.MULTILINE)
    assert headings == [rule["alert"] for rule in rules()]
    for part in RUNBOOK.split("\n## ")[1:]:
        for said in ("**It means** ", "**Look:**", "**Do", "**It is over** when "):
            assert said in part, (part.splitlines()[0], said)
        assert blocks(part), part.splitlines()[0]


def test_every_command_that_is_named_exists_with_its_options() -> None:
    """`--help` comes after the options are read: one that is unknown is refused before."""
    known = {" ".join(words) for words in command_tree()}
    texts = [RUNBOOK, (DEPLOY / "README.md").read_text()]
    named = [command for text in texts for command in (*blocks(text), *mentioned(text))]
    for command in dict.fromkeys(named):
        words = [word.replace("…", "x") for word in shlex.split(command)[1:]]
        leaf = next((n for n in (2, 1) if " ".join(words[:n]) in known), None)
        assert leaf, command
        options = [word for word in words[leaf:] if word.startswith("-")]
        shown = subprocess.run(
            [str(GRADEFARM), *words[:leaf], "--help"], capture_output=True, text=True, check=False
        )
        for option in options:
            assert re.search(rf"(?<![\w-]){option}\b", shown.stdout), f"{command}: no {option}"


def test_the_runbook_says_which_commands_need_the_farms_own_machine() -> None:
    said = RUNBOOK.partition("`--server` and a token do, but not")[2].partition("\n\n")[0]
    assert re.findall(r"`([^`]+)`", said) == [" ".join(words) for words in LOCAL_ONLY]


def test_every_path_that_is_named_is_there() -> None:
    for text in (RUNBOOK, README):
        for path in PATH.findall(text):
            if "secrets/" not in path:
                assert list(ROOT.glob(path.rstrip("/"))), path


def test_every_setting_that_is_named_is_one_that_is_read() -> None:
    """In files, too: a variable with a slip of the pen is silently without effect."""
    source = (ROOT / "models" / "settings.py").read_text()
    read = {f"GRADEFARM_{name}" for name in re.findall(r'"([A-Z][A-Z0-9_]+)"', source)}
    for path in DEPLOY.rglob("*"):
        if path.is_file() and "secrets" not in path.parts:
            for name in set(VARIABLE.findall(path.read_text())):
                assert name.removesuffix("_FILE") in read, (path.relative_to(ROOT), name)


def test_units_start_the_same_commands_as_images() -> None:
    for service in ("scheduler", "api", "flower", "gateway"):
        text = (DEPLOY / "systemd" / f"gradefarm-{service}.service").read_text()
        (words,) = re.findall(r"^ExecStart=\S+gradefarm (.+)$", text, re.MULTILINE)
        _accepts(shlex.split(words))
    worker = (DEPLOY / "systemd" / "gradefarm-worker@.service").read_text()
    (words,) = re.findall(r"^ExecStart=\S+gradefarm (.+)$", worker, re.MULTILINE)
    for role in ("agent", "grade"):
        filled = words.replace("%i", role).replace("${WORKER_LANGUAGES}", "python")
        _accepts(shlex.split(filled.replace("${WORKER_CONCURRENCY}", "1")))
    compose = read_yaml("compose", "compose.yaml")["services"]
    for service in ("agent", "grade"):
        _accepts(compose[service]["command"])


def _accepts(words: list[str]) -> None:
    done = subprocess.run(
        [str(GRADEFARM), *words, "--help"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (words, done.stderr)
