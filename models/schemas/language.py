"""The definition of one language: a toolchain with its dialect, as data."""

import re
from collections.abc import Iterator
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from models.identifiers import SLUG
from models.schemas.base import Schema

Slug = Annotated[str, Field(pattern=f"^{SLUG.pattern}$")]

LARGEST_LIMIT_FACTOR = 20

PLACEHOLDERS = frozenset({"tool", "prefix", "work", "build", "cache"})
"""What stands for folders and files in every definition."""

PLACEHOLDER = re.compile(r"(?<!\$)\{([a-z][a-z0-9_]*)\}")
"""A name in braces; after a dollar sign it belongs to a shell."""

CONTROL_FILE = "control.txt"
"""What a control program reads: bytes, whose first line is the mode. It finds the file in the
folder that its environment variable WORKSPACE names, which `run.env` sets to {work}."""

CONTROL_MODES = {
    "exit": "end with exit status 0 at once, without a word",
    "say": "write the rest of the file",
    "echo": "copy standard input to standard output",
    "table": "the rest of the file is records: a line `n m` (decimal), n bytes of input, m bytes"
    " of output, and the next line follows at once; write the output of the first record whose"
    " input is the whole of standard input, or nothing",
    "sleep": "never end, without using a processor",
    "crash": "end by an error that nobody catches",
    "flood": "write without end",
    "hoard": "take and fill memory without end",
}
"""What a control program does by mode. It copies bytes as they are, whatever they mean in UTF-8,
needs nothing but the standard library, and ends with exit status 0 where it ends by itself."""


def _not_taken(name: str) -> str:
    if name in PLACEHOLDERS:
        raise ValueError(f"{{{name}}} stands for something else already")
    return name


CompanionName = Annotated[str, Field(pattern="^[a-z][a-z0-9]*$"), AfterValidator(_not_taken)]


def _finds_a_version(pattern: str) -> str:
    try:
        groups = re.compile(pattern).groups
    except re.error as error:
        raise ValueError(f"no regular expression ({error})") from error
    if not groups:
        raise ValueError("put the version itself in parentheses")
    return pattern


def _is_numbers(version: str) -> str:
    if not re.fullmatch(r"[0-9]+(\.[0-9]+)*", version):
        raise ValueError("write numbers with dots between them, such as 3.11")
    return version


VersionPattern = Annotated[str, AfterValidator(_finds_a_version)]


class Tool(Schema):
    """Where a program is looked for and how its version is read.

    `candidates`: absolute paths first, then names looked up on the path; the first that
    answers with at least `minimum` wins. The first group of `version_pattern` is the version in
    what the command `version` prints. Where a candidate may be a launcher that only stands for
    the program, `locate` is a command that prints the path of the program itself; {tool} in it is
    the candidate as it was found, {prefix} the folder above the one that really holds it.
    """

    candidates: tuple[str, ...] = Field(min_length=1)
    locate: tuple[str, ...] = ()
    version: tuple[str, ...] = Field(min_length=1)
    version_pattern: VersionPattern
    minimum: Annotated[str, AfterValidator(_is_numbers)]


class Toolchain(Tool):
    """The tool of a language with all else that it works with.

    `companions` are further programs that decide what comes out, by the name that stands for
    them; they may be looked for in the {prefix} of the tool. Of `mounts` (patterns of folders
    that a sandbox must show) those are left out that match nothing on a machine.

    In argv and env of a definition these stand for folders and files: {tool}, {prefix} (install
    root of the tool), {name} and {name_prefix} of each companion, {work} (the workspace),
    {build} (writable while building, read-only afterwards), {cache} (compile cache, warmed once,
    of which every build sees a copy of its own).
    """

    companions: dict[CompanionName, Tool] = Field(default_factory=dict)
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
    runs it in its sandbox before it takes work in this language. `control_files` is a whole
    program that does what the file `control.txt` beside it says: see CONTROL_MODES. `leftovers`
    names files and folders that its tools leave in a workspace: they are kept, but are no
    delivery.
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
    control_files: dict[str, str] = Field(min_length=1)
    run: Invocation
    test: Invocation

    @model_validator(mode="after")
    def _placeholders_are_known(self) -> Self:
        names = self.toolchain.companions
        known = PLACEHOLDERS | names.keys() | {f"{name}_prefix" for name in names}
        for text in self._texts():
            for name in PLACEHOLDER.findall(text):
                if name not in known:
                    raise ValueError(f"{{{name}}} stands for nothing; known: {sorted(known)}")
        return self

    def _texts(self) -> Iterator[str]:
        yield from self.toolchain.mounts
        for step in (self.build, self.run, self.test):
            if step is not None:
                yield from (*step.argv, *step.env.values())
