"""A task package that an importer made up, before anything of it is written."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from models.schemas.check import CheckRecord, Visibility
from models.schemas.suite import NativeSuite
from models.schemas.task import TaskLimits

Files = Mapping[str, bytes]
"""Path in a folder, with forward slashes, to content."""


@dataclass(frozen=True, slots=True)
class LanguageDraft:
    """What a package holds of one language. `reference` are the files laid over the starter."""

    starter: Files
    reference: Files
    suite: NativeSuite | None = None
    suite_files: Files = field(default_factory=dict[str, bytes])


@dataclass(frozen=True, slots=True)
class PackageDraft:
    """A whole package. Checks are in plan order; the starter may fail any of `may_fail`, and must
    fail one of them."""

    id: str
    title: str
    tags: tuple[str, ...]
    ticket: str
    limits: TaskLimits
    protected: tuple[str, ...]
    checks: tuple[tuple[Visibility, CheckRecord], ...]
    may_fail: tuple[str, ...]
    languages: Mapping[str, LanguageDraft]
