"""A folder with mypy and what it needs, without anything else of the farm."""

import re
import shutil
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from models.errors import Infrastructure
from workers.languages.folder_cache import make_once, make_readable
from workers.languages.tool_location import MISSING

MYPY_AT = "/opt/mypy"
REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)([^;]*);?(.*)")


def mypy_place(scratch: Path, python_version: str) -> tuple[Path, str]:
    """Where the folder is or will be, and mypy's version, for a Python of `python_version`.

    Its compiled parts only fit the farm's own minor version. Raises Infrastructure
    (toolchain_missing) for another one, or where the farm has no mypy.
    """
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    if python_version.split(".")[:2] != own.split("."):
        raise Infrastructure(
            MISSING,
            f"mypy is there for Python {own}, but the language's interpreter is {python_version}.",
            remedy=f"Install Python {own} for every user, or the farm under {python_version}.",
        )
    version = _version("mypy")
    name = f"mypy-{version}-{sys.implementation.cache_tag}"
    return scratch / "tools" / name, version


def make_mypy_folder(folder: Path) -> None:
    """Make the folder, unless it is there."""
    make_once(folder, lambda draft: _copy(_closure("mypy"), draft))


def _version(name: str) -> str:
    try:
        return distribution(name).version
    except PackageNotFoundError:
        raise Infrastructure(
            MISSING, f"{name} is not installed.", remedy=f"pip install {name}"
        ) from None


def _closure(name: str) -> list[Distribution]:
    """A distribution and, after it, all that it needs here."""
    found: dict[str, Distribution] = {}
    waiting = [name]
    while waiting:
        current = waiting.pop(0)
        if current in found:
            continue
        try:
            found[current] = distribution(current)
        except PackageNotFoundError:
            continue  # needed on other machines only
        waiting += _needed(found[current])
    return list(found.values())


def _needed(package: Distribution) -> list[str]:
    matches = (REQUIREMENT.match(line) for line in package.requires or ())
    return [match.group(1) for match in matches if match and "extra" not in match.group(3)]


def _copy(packages: list[Distribution], draft: Path) -> None:
    for package in packages:
        for file in package.files or ():
            if ".." in file.parts or "__pycache__" in file.parts or file.suffix == ".pth":
                continue
            source, target = Path(str(file.locate())), draft / Path(*file.parts)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
    make_readable(draft)
