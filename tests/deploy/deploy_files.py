"""The files below deploy/, read; and the tools that they are held against."""

import io
import json
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from dockerfile_parse import DockerfileParser

from tests.conftest import miss

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
GRADEFARM = Path(sys.executable).parent / "gradefarm"
GO = ("/usr/local/go/bin/go", "/usr/lib/go/bin/go", "/usr/bin/go")
OVERLAYS = ("one-node", "cluster")

Document = dict[str, Any]


def run_tool(*words: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """One tool, to its end, with what it said."""
    return subprocess.run(
        [str(word) for word in words],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=cwd,
    )


def tool(name: str) -> str:
    """The path of a program that a test needs."""
    found = shutil.which(name)
    return found or miss(f"the program {name}")


def go_module(path: str, version: str) -> Path:
    """The files of a published Go module: where compose and KEDA publish their own schemas."""
    go = next((one for one in (*GO, shutil.which("go")) if one and Path(one).exists()), None)
    if go is None:
        miss("Go")
    done = run_tool(go, "mod", "download", "-json", f"{path}@{version}")
    if done.returncode != 0:
        miss(f"the Go module {path}")
    return Path(json.loads(done.stdout)["Dir"])


def read_yaml(*parts: str) -> Any:
    return yaml.safe_load(DEPLOY.joinpath(*parts).read_text())


@cache
def rendered(overlay: str) -> tuple[Document, ...]:
    """What `kubectl apply --kustomize` would send."""
    kubectl, kustomize = shutil.which("kubectl"), shutil.which("kustomize")
    if not kubectl and not kustomize:
        miss("kubectl or kustomize")
    words = [kubectl, "kustomize"] if kubectl else [kustomize or "", "build"]
    done = run_tool(*words, DEPLOY / "kubernetes" / "overlays" / overlay)
    assert done.returncode == 0, done.stderr
    return tuple(yaml.safe_load_all(done.stdout))


def of_kind(documents: tuple[Document, ...], *kinds: str) -> dict[str, Document]:
    """The documents of some kinds by their names."""
    return {d["metadata"]["name"]: d for d in documents if d["kind"] in kinds}


@cache
def stages() -> dict[str, tuple[tuple[str, str], ...]]:
    """The instructions of each stage of the Containerfile, in order, its FROM first."""
    found: dict[str, list[tuple[str, str]]] = {}
    name = ""
    text = io.BytesIO((DEPLOY / "images" / "Containerfile").read_bytes())
    for one in DockerfileParser(fileobj=text).structure:
        if one["instruction"] == "FROM":
            name = one["value"].split()[-1]
            found[name] = []
        if name and one["instruction"] != "COMMENT":
            found[name].append((one["instruction"], one["value"]))
    return {stage: tuple(lines) for stage, lines in found.items()}


def lineage(stage: str) -> tuple[str, ...]:
    """A stage and the stages whose layers it stands on, the first one first."""
    parent = stages()[stage][0][1].split()[0]
    return (*lineage(parent), stage) if parent in stages() else (stage,)


def instructions(stage: str) -> list[tuple[str, str]]:
    """All instructions whose layers and settings an image of that stage has, in order."""
    return [line for each in lineage(stage) for line in stages()[each]]


def last(stage: str, instruction: str) -> str:
    """The value that holds of an instruction of which the last one counts."""
    return [value for kind, value in instructions(stage) if kind == instruction][-1]


def image_environment(stage: str) -> dict[str, str]:
    """What an image sets, by variable."""
    words: dict[str, str] = {}
    for kind, value in instructions(stage):
        if kind == "ENV":
            for pair in value.split():
                name, _, text = pair.partition("=")
                words[name] = text.strip('"')
    return words
