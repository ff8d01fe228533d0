"""The definition of one language: a toolchain with its dialect, as data."""

from typing import Annotated, Literal

from pydantic import Field

from models.identifiers import SLUG
from models.schemas.base import Schema

Slug = Annotated[str, Field(pattern=f"^{SLUG.pattern}$")]


LARGEST_LIMIT_FACTOR = 20


class Toolchain(Schema):
    """Where the tool is looked for and how its version is read.

    `candidates`: absolute paths first, then names looked up on the path; the first that
    answers with at least `minimum` wins. In argv and env of a definition these stand for
    folders and files: {tool}, {prefix} (install root of the tool), {work} (the workspace),
    {build} (writable while building, read-only afterwards), {cache} (compile cache, warmed once,
    of which every build sees a copy of its own).
    """

    candidates: tuple[str, ...] = Field(min_length=1)
    version: tuple[str, ...]
    version_pattern: str
    minimum: str
    mounts: tuple[str, ...] = ()
    extras: tuple[str, ...] = ()
    remedy: str = ""


class BuildStep(Schema):
    """How a workspace (read-only at {work}, the working directory) becomes a program in {build}."""

    argv: tuple[str, ...] = Field(min_length=1)
    env: dict[str, str] = Field(default_factory=dict)
    warm_files: dict[str, str] = Field(default_factory=dict)


class Invocation(Schema):
    """A command line with its environment."""

    argv: tuple[str, ...] = Field(min_length=1)
    env: dict[str, str] = Field(default_factory=dict)


class LanguageDefinition(Schema):
    """The content of `tasks_catalog/languages/<id>.toml`.

    `probe_files` is a whole program that prints `ready` and a line feed: a worker builds and
    runs it in its sandbox before it takes work in this language. `leftovers` names files and
    folders that its tools leave in a workspace: they are kept, but are no delivery.
    """

    schema_version: Literal[1] = Field(alias="schema")
    id: Slug
    title: str
    files: tuple[str, ...]
    leftovers: tuple[str, ...] = ()
    limit_factor: float = Field(default=1.0, gt=0, le=LARGEST_LIMIT_FACTOR)
    toolchain: Toolchain
    build: BuildStep | None = None
    probe_files: dict[str, str] = Field(min_length=1)
    run: Invocation
    test: Invocation
