"""The catalogue as the rest of the farm sees it: tasks, languages, halves and universes.

Parsed values are kept in the process and used again as long as the files they came from are
untouched (inode, mode, size, times), so that asking per run is cheap and never stale.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TypeVar, cast

from models.errors import NotFound, Refused
from models.identifiers import Digest
from models.records.universe_proof import universe_of
from models.schemas.language import LanguageDefinition
from models.schemas.suite import SuiteRunner
from models.schemas.task import PublicHalf, PublicManifest, SealedHalf, TaskManifest, Variant
from tasks_catalog.check_digests import CheckDigests, digest_checks
from tasks_catalog.compiled_leftovers import drop_compiled
from tasks_catalog.content_hash import (
    public_digest,
    universe_parts,
)
from tasks_catalog.file_tree import Stamp, digest_tree, file_stamps
from tasks_catalog.loading import (
    HIDDEN_FILE,
    MANIFEST_FILE,
    OTHER_HALF,
    TICKET_FILE,
    VISIBLE_FILE,
    load_languages,
    load_manifest,
    load_public_half,
    load_runner,
    load_sealed_half,
    load_trees,
    package_folders,
    runner_folder,
    starter_folder,
    suite_record,
)
from tasks_catalog.package_faults import PackageInvalid
from tasks_catalog.universe_details import universe_details

T = TypeVar("T")
LONGEST_NAME = 100
"""Far below what a file system takes, which would raise for a longer one."""


@dataclass
class _Memory:
    """Values by key, each valid for the stamps of the files that it came from."""

    kept: dict[tuple[str, ...], tuple[tuple[tuple[Stamp, ...], ...], object]] = field(
        default_factory=dict[tuple[str, ...], tuple[tuple[tuple[Stamp, ...], ...], object]]
    )

    def recall(self, key: tuple[str, ...], sources: tuple[Path, ...], load: Callable[[], T]) -> T:
        """The kept value for `key`, or a fresh one where any of `sources` changed."""
        stamps = tuple(_stamps(source) for source in sources)
        found = self.kept.get(key)
        if found is not None and found[0] == stamps:
            return cast("T", found[1])
        value = load()
        self.kept[key] = (stamps, value)
        return value


def _stamps(source: Path) -> tuple[Stamp, ...]:
    try:
        return file_stamps(source)
    except OSError:
        return ()


class Catalog:
    """Tasks and languages below given folders.

    `public` and `sealed` hold one folder per task; they may be the same. `sealed` is None on
    machines that must not hold it: public manifests, public halves and their digests are there, and
    a run's universe is taken from its row. All else raises Refused there.
    """

    def __init__(self, public: Path, sealed: Path | None, languages: Path) -> None:
        self._public = public
        self._sealed = sealed
        self._languages = languages
        self._memory = _Memory()

    def tasks(self) -> tuple[TaskManifest, ...]:
        """Every task, sorted by id. Raises as `task`."""
        return tuple(self.task(name) for name in self.names())

    def names(self) -> tuple[str, ...]:
        """The ids of all tasks, sorted."""
        return tuple(folder.name for folder in package_folders(self._public))

    def task(self, task: str) -> TaskManifest:
        """The whole manifest of one task.

        Raises NotFound, PackageInvalid, Refused where this machine holds the public half alone.
        """
        whole = self._whole_manifest(task)
        if whole is None:
            raise _not_held(task)
        return whole

    def public_manifest(self, task: str) -> PublicManifest:
        """What may be known of one task everywhere. Raises NotFound or PackageInvalid."""
        found = self._manifest(self._package(task))
        if isinstance(found, PublicManifest):
            return found
        sources = (self._package(task) / MANIFEST_FILE,)
        return self._memory.recall(("public manifest", task), sources, found.public)

    def public_manifests(self) -> tuple[PublicManifest, ...]:
        """The same of every task, sorted by id."""
        return tuple(map(self.public_manifest, self.names()))

    def _manifest(self, package: Path) -> TaskManifest | PublicManifest:
        return self._memory.recall(
            ("task", str(package)), (package / MANIFEST_FILE,), lambda: load_manifest(package)
        )

    def _whole_manifest(self, task: str) -> TaskManifest | None:
        """Of the public root, or beside the sealed half where the public root has only its own."""
        found = self._manifest(self._package(task))
        if isinstance(found, TaskManifest):
            return found
        if not self.holds_sealed(task):
            return None
        sealed = self._sealed_package(task)
        beside = self._manifest(sealed) if (sealed / MANIFEST_FILE).is_file() else None
        if not isinstance(beside, TaskManifest):
            return None
        if beside.public() != found:
            raise PackageInvalid(str(self._package(task)), [OTHER_HALF])
        return beside

    def languages(self) -> dict[str, LanguageDefinition]:
        """Every language definition by id. Raises PackageInvalid with all faults."""
        folder = self._languages
        return dict(self._memory.recall(("languages",), (folder,), lambda: load_languages(folder)))

    def language(self, language: str) -> LanguageDefinition:
        """One language definition. Raises NotFound."""
        definitions = self.languages()
        if language not in definitions:
            raise NotFound(
                f"there is no language {language}.", remedy=f"Known: {', '.join(definitions)}."
            )
        return definitions[language]

    def suite_runner(self, language: str) -> SuiteRunner:
        """How a language runs native suites. Raises NotFound where it can't."""
        folder = self.suite_runner_folder(language)
        return self._memory.recall(
            ("runner", language), (folder,), lambda: load_runner(self._languages, language)
        )

    def suite_runner_folder(self, language: str) -> Path:
        """Where the files lie that run the native suites of a language."""
        return runner_folder(self._languages, language)

    def public_half(self, task: str, language: str) -> PublicHalf:
        """What an agent worker may hold. Raises NotFound or PackageInvalid."""
        manifest = self.public_manifest(task)
        package = self._package(task)
        sources = [package / name for name in (MANIFEST_FILE, TICKET_FILE, VISIBLE_FILE)]
        return self._memory.recall(
            ("public", task, language),
            tuple(sources),
            lambda: load_public_half(package, manifest, language),
        )

    def holds_sealed(self, task: str) -> bool:
        """Whether this machine holds the sealed half of a task."""
        return self._sealed is not None and (self._sealed / task / "sealed").is_dir()

    def sealed_half(self, task: str, language: str) -> SealedHalf:
        """What only a grade worker holds. Raises Refused where this machine doesn't hold it."""
        public = self.public_half(task, language)
        sealed_package = self._sealed_package(task)
        manifest = self.task(task)
        package = self._package(task)
        sources = [package / name for name in (MANIFEST_FILE, TICKET_FILE, VISIBLE_FILE)]
        own = (MANIFEST_FILE, HIDDEN_FILE, suite_record(language))
        return self._memory.recall(
            ("sealed", task, language),
            (*sources, *(sealed_package / name for name in own)),
            lambda: load_sealed_half(sealed_package, manifest, public),
        )

    def manifest_digest(self, task: str) -> Digest:
        """The digest over all (check id, check digest) pairs; the same for every language."""
        return self.check_digests(task).manifest

    def check_digests(self, task: str) -> CheckDigests:
        """The digests of all checks of a task; the same for every language."""
        package, sealed = self._package(task), self._sealed_package(task)
        own = (sealed / MANIFEST_FILE, sealed / HIDDEN_FILE)
        files = (package / MANIFEST_FILE, package / VISIBLE_FILE, *own)
        some = self.task(task).languages[0]
        return self._memory.recall(
            ("check digests", task),
            files,
            lambda: digest_checks(self.sealed_half(task, some).checks),
        )

    def public_digest(self, task: str, language: str) -> Digest:
        """The digest of all that agents are given of a variant; needs no sealed half."""

        def work_out() -> Digest:
            public = self.public_half(task, language)
            return public_digest(public, digest_tree(public.starter), self.language(language))

        sources = self._public_sources(task, language)
        return self._memory.recall(("public digest", task, language), sources, work_out)

    def universe_parts(self, task: str, language: str) -> dict[str, Digest]:
        """The digest of each part of a variant's universe: a change of any one forks it."""

        def work_out() -> dict[str, Digest]:
            sealed = self.sealed_half(task, language)
            trees = load_trees(sealed, runner_folder(self._languages, language))
            checks = self.manifest_digest(task)
            return universe_parts(sealed, checks, trees, self.language(language))

        return self._memory.recall(
            ("universe", task, language), self._all_sources(task, language), work_out
        )

    def universe_details(self, task: str, language: str) -> dict[str, str]:
        """A short digest of every part, check, fault and file of a variant's universe."""

        def work_out() -> dict[str, str]:
            sealed = self.sealed_half(task, language)
            trees = load_trees(sealed, runner_folder(self._languages, language))
            parts, checks = self.universe_parts(task, language), self.check_digests(task).by_id
            return universe_details(parts, checks, sealed, trees)

        return self._memory.recall(
            ("details", task, language), self._all_sources(task, language), work_out
        )

    def variant(self, task: str, language: str) -> Variant:
        """A variant with its universe and public digest; needs the sealed half.

        Asked of several times in every run: looks once at each file that it depends on.
        """
        return self._memory.recall(
            ("variant", task, language),
            self._all_sources(task, language),
            lambda: Variant(
                task=task,
                language=language,
                universe=universe_of(self.universe_parts(task, language)),
                public_digest=self.public_digest(task, language),
            ),
        )

    def _public_sources(self, task: str, language: str) -> tuple[Path, ...]:
        """All that the public digest of a variant depends on."""
        package = self._package(task)
        files = (package / name for name in (MANIFEST_FILE, TICKET_FILE, VISIBLE_FILE))
        return (*files, starter_folder(package, language), self._languages)

    def _all_sources(self, task: str, language: str) -> tuple[Path, ...]:
        """All that the universe of a variant depends on."""
        sealed = self._sealed_package(task)
        own = (sealed / MANIFEST_FILE, sealed / HIDDEN_FILE, sealed / "sealed" / language)
        return (*self._public_sources(task, language), *own)

    def _package(self, task: str) -> Path:
        package = self._public / task
        is_name = len(task) <= LONGEST_NAME and "/" not in task and not task.startswith(".")
        if not is_name or not (package / MANIFEST_FILE).is_file():
            known = ", ".join(folder.name for folder in package_folders(self._public))
            raise NotFound(f"there is no task {task}.", remedy=f"Known: {known or 'none'}.")
        return package

    def _sealed_package(self, task: str) -> Path:
        if self._sealed is None or not self.holds_sealed(task):
            raise _not_held(task)
        return self._sealed / task

    def refuse_public_alone(self, who: str) -> None:
        """Raise Refused, naming the tasks, where `who` needs sealed halves that aren't here."""
        folders = package_folders(self._public) if self._public.is_dir() else ()
        lacking = [folder.name for folder in folders if not self.holds_sealed(folder.name)]
        if lacking:
            raise Refused(
                f"{who} needs the sealed half of {', '.join(lacking)}, which is not on this "
                "machine.",
                remedy="Let GRADEFARM_CATALOG_SEALED name what `gradefarm catalog export --half "
                "sealed` wrote, or the whole catalogue.",
            )


def _not_held(task: str) -> Refused:
    return Refused(
        f"this machine does not hold the sealed half of {task}.",
        remedy="Ask on a machine with the grade role, or set GRADEFARM_CATALOG_SEALED.",
    )


@cache
def open_catalog(public: Path, sealed: Path | None, languages: Path) -> Catalog:
    """The catalogue over these folders: one per process and combination of paths.

    Raises Refused where what an installer compiled in them can't be removed.
    """
    drop_compiled(public, sealed, languages)
    return Catalog(public, sealed, languages)
