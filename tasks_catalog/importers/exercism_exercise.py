"""Reads one exercise in the layout of Exercism: what is given, what is hidden, what solves it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pydantic import BaseModel, Field, ValidationError

from tasks_catalog.file_tree import read_files
from tasks_catalog.importers.import_report import NotImportable

CONFIG = ".meta/config.json"
DOCUMENTS = ("introduction.md", "instructions.md", "instructions.append.md")
NOT_GIVEN = frozenset({".meta", ".docs", ".approaches", ".articles", ".git"})


class ExerciseFiles(BaseModel):
    """`files` in `.meta/config.json`; an exemplar is what concept exercises call their example."""

    solution: tuple[str, ...] = Field(min_length=1)
    test: tuple[str, ...] = Field(min_length=1)
    example: tuple[str, ...] = ()
    exemplar: tuple[str, ...] = ()
    editor: tuple[str, ...] = ()
    invalidator: tuple[str, ...] = ()


class ExerciseConfig(BaseModel):
    """What is read of `.meta/config.json`; other keys may stand there."""

    files: ExerciseFiles


@dataclass(frozen=True, slots=True)
class Exercise:
    """An exercise: its slug, its documents in order, and its files by path.

    `given` is all but documents and what lies in hidden folders; `hidden` is what `.meta` holds.
    """

    slug: str
    files: ExerciseFiles
    documents: tuple[str, ...]
    given: Mapping[str, bytes]
    hidden: Mapping[str, bytes]

    @property
    def examples(self) -> tuple[str, ...]:
        """The files that solve it."""
        return (*self.files.example, *self.files.exemplar)


def exercise_folders(source: Path) -> Iterator[Path]:
    """Every exercise at or below `source`, in order of path."""
    for config in sorted(source.rglob(CONFIG)):
        yield config.parent.parent


def read_exercise(folder: Path) -> Exercise:
    """The exercise in a folder. Raises NotImportable."""
    try:
        config = ExerciseConfig.model_validate_json((folder / CONFIG).read_bytes())
    except ValidationError as error:
        place = ".".join(str(step) for step in error.errors()[0]["loc"])
        raise NotImportable(f"{CONFIG}: {place}: {error.errors()[0]['msg']}") from None
    files = read_files(folder)
    return Exercise(
        slug=folder.resolve().name,
        files=config.files,
        documents=tuple(_documents(files)),
        given={name: data for name, data in files.items() if name.split("/")[0] not in NOT_GIVEN},
        hidden={name: data for name, data in files.items() if name.startswith(".meta/")},
    )


def _documents(files: Mapping[str, bytes]) -> Iterator[str]:
    for name in DOCUMENTS:
        if content := files.get(f".docs/{name}"):
            yield content.decode("utf-8", "replace").strip()


def solved_files(exercise: Exercise) -> dict[str, bytes]:
    """The files of the example under the names of those that a solution has.

    An example is for the file of its own name, else for the only one of its suffix; further ones
    are helpers, and lie beside what they help. Raises NotImportable.
    """
    if not exercise.examples:
        raise NotImportable("there is no example solution, so nothing can be proved")
    found: dict[str, bytes] = {}
    for example in exercise.examples:
        if example not in exercise.hidden:
            raise NotImportable(f"the example solution {example} is missing")
        found[_place_of(example, exercise.files.solution)] = exercise.hidden[example]
    return found


def _place_of(example: str, solution: tuple[str, ...]) -> str:
    path = PurePosixPath(example)
    same_name = [name for name in solution if PurePosixPath(name).name == path.name]
    same_suffix = [name for name in solution if PurePosixPath(name).suffix == path.suffix]
    if len(same_name) == 1:
        return same_name[0]
    if len(same_suffix) == 1 and path.stem in {"example", "exemplar", "proof.ci"}:
        return same_suffix[0]
    if len({PurePosixPath(name).parent for name in same_suffix}) == 1:
        return (PurePosixPath(same_suffix[0]).parent / path.name).as_posix()
    raise NotImportable(f"which file the example {example} stands for can't be told")
