"""Imports every exercise below a folder, one after the other."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pydantic import ValidationError

from models.schemas.language import LanguageDefinition
from models.schemas.suite import SuiteRunner
from tasks_catalog.importers.exercism_exercise import exercise_folders, read_exercise
from tasks_catalog.importers.exercism_package import exercism_package
from tasks_catalog.importers.exercism_tracks import track_of
from tasks_catalog.importers.import_report import ImportLine, NotImportable
from tasks_catalog.importers.neutral_package import neutral_package, neutral_tasks
from tasks_catalog.importers.package_placing import Placing, make_target, place_package

UNFIT = (NotImportable, ValidationError, UnicodeDecodeError, FileExistsError, NotADirectoryError)
"""What one exercise may be to blame for: it stays out, and the next one is looked at."""


@dataclass(frozen=True, slots=True)
class Wish:
    """Which exercises to import: empty means all. `limit` counts those imported, by language."""

    languages: Collection[str] = ()
    exercises: Collection[str] = ()
    limit: int | None = None

    def wants(self, exercise: str, language: str) -> bool:
        """Whether an exercise in a language is asked for."""
        named = not self.exercises or exercise in self.exercises
        return named and (not self.languages or language in self.languages)


def import_exercism(
    source: Path, wish: Wish, placing: Placing, runners: Mapping[str, SuiteRunner]
) -> list[ImportLine]:
    """What became of every exercise that is asked for."""
    done = Counter[str]()
    make_target(placing)
    lines: list[ImportLine] = []
    for folder in exercise_folders(source):
        line = _import_exercise(folder, wish, placing, runners, done)
        if line is not None:
            lines.append(line)
            done.update(line.languages if line.imported else ())
    return lines


def _import_exercise(
    folder: Path,
    wish: Wish,
    placing: Placing,
    runners: Mapping[str, SuiteRunner],
    done: Mapping[str, int],
) -> ImportLine | None:
    """None for an exercise that isn't asked for."""
    slug, language = folder.resolve().name, "unknown"
    try:
        exercise = read_exercise(folder)
        language = PurePosixPath(exercise.files.solution[0]).suffix or language
        track = track_of(exercise)
        language = track.language
        full = wish.limit is not None and done[language] >= wish.limit
        if full or not wish.wants(slug, language):
            return None
        if language not in runners:
            raise NotImportable(f"{language} can't run native test suites here")
        draft, notes = exercism_package(exercise, track, runners[language])
        place_package(draft, placing)
    except UNFIT as error:
        asked = wish.wants(slug, language)
        return ImportLine(slug, (language,), reason=_reason(error)) if asked else None
    return ImportLine(slug, (language,), draft.id, len(draft.checks), notes=notes)


def import_neutral(
    source: Path, wish: Wish, placing: Placing, definitions: Iterable[LanguageDefinition]
) -> list[ImportLine]:
    """What became of every task that is asked for."""
    chosen = [one for one in definitions if not wish.languages or one.id in wish.languages]
    make_target(placing)
    lines: list[ImportLine] = []
    for folder in neutral_tasks(source):
        imported = sum(line.imported for line in lines)
        if wish.limit is not None and imported >= wish.limit:
            break
        if not wish.exercises or folder.name in wish.exercises:
            lines.append(_import_task(folder, placing, chosen))
    return lines


def _import_task(
    folder: Path, placing: Placing, definitions: list[LanguageDefinition]
) -> ImportLine:
    try:
        draft, notes = neutral_package(folder, definitions)
        place_package(draft, placing)
    except UNFIT as error:
        present = tuple(one.id for one in definitions if (folder / one.id).is_dir())
        return ImportLine(folder.name, present, reason=_reason(error))
    return ImportLine(folder.name, tuple(draft.languages), draft.id, len(draft.checks), notes=notes)


def _reason(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False)[0]
        return f"{error.title}: {'.'.join(map(str, first['loc']))}: {first['msg']}"
    if isinstance(error, UnicodeDecodeError):
        return "one of its texts is not UTF-8"
    if isinstance(error, OSError):
        return "its configuration names a file below a file"
    return str(error)
