"""Makes a task package of a task that is the same in every language.

    <task>/spec.md                   what is to be done
    <task>/tests.json                the cases: a list, or an object with one, `tests` or `cases`
    <task>/<language>/               the starter, one folder for each language
    <task>/reference/<language>/     files that solve it, laid over the starter

A case has standard input (`stdin` or `input`) and the expected standard output (`stdout`,
`expected_stdout` or `expected`), exactly as it is written; it may have a name (`name` or `id`),
arguments (`args`), an exit status (`exit`), and be `visible`. Where none is, the first one is.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from models.identifiers import is_slug
from models.schemas.check import Check, CheckInput, Comparison, Expectation, Visibility
from models.schemas.language import LanguageDefinition
from models.schemas.task import TaskLimits
from tasks_catalog.file_tree import read_files
from tasks_catalog.importers.check_ids import check_ids, slug_of
from tasks_catalog.importers.example_runner import EXAMPLES, example_files, example_runner
from tasks_catalog.importers.import_report import NotImportable
from tasks_catalog.importers.package_draft import Files, LanguageDraft, PackageDraft
from tasks_catalog.importers.package_placing import drop_leftovers

SPEC, CASES, REFERENCE, TEST_COMMAND = "spec.md", "tests.json", "reference", "run_tests.sh"
LIMITS = TaskLimits(agent_wall_s=900, build_wall_s=120, check_wall_s=10, memory_mb=512)


class Case(BaseModel):
    """One case of `tests.json`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(default="", validation_alias=AliasChoices("name", "id"))
    stdin: str = Field(default="", validation_alias=AliasChoices("stdin", "input"))
    stdout: str = Field(validation_alias=AliasChoices("stdout", "expected_stdout", "expected"))
    args: tuple[str, ...] = ()
    exit: int = Field(default=0, ge=0, le=125)
    visible: bool = False


class _Cases(BaseModel):
    model_config = ConfigDict(extra="forbid")

    cases: tuple[Case, ...] = Field(validation_alias=AliasChoices("cases", "tests"), min_length=2)


CASE_LIST = TypeAdapter(tuple[Case, ...])


@dataclass(frozen=True, slots=True)
class _NamedCase:
    case: Case
    check: str
    visibility: Visibility


def neutral_tasks(source: Path) -> Iterator[Path]:
    """Every task at or below `source`, in order of path."""
    for cases in sorted(source.rglob(CASES)):
        if (cases.parent / SPEC).is_file():
            yield cases.parent


def neutral_package(
    folder: Path, definitions: Sequence[LanguageDefinition]
) -> tuple[PackageDraft, tuple[str, ...]]:
    """The package, and notes on what was left out. Raises NotImportable."""
    task = folder.resolve().name
    if not is_slug(task):
        raise NotImportable(f"{task} can't be the id of a task: call it {slug_of(task)}")
    cases = _named(_cases(folder / CASES))
    languages, notes = _languages(folder, definitions, cases)
    checks = tuple((one.visibility, _check(one)) for one in cases)
    draft = PackageDraft(
        id=task,
        title=task.replace("-", " ").capitalize(),
        tags=("imported", "neutral"),
        ticket=(folder / SPEC).read_text(encoding="utf-8"),
        limits=LIMITS,
        protected=(TEST_COMMAND, f"{EXAMPLES}/"),
        checks=checks,
        may_fail=tuple(check.id for _, check in checks),
        languages=languages,
    )
    return draft, notes


def _cases(path: Path) -> tuple[Case, ...]:
    text = path.read_bytes()
    try:
        if text.lstrip().startswith(b"["):
            return CASE_LIST.validate_json(text)
        return _Cases.model_validate_json(text).cases
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(step) for step in first["loc"])
        raise NotImportable(f"{CASES}: {place}: {first['msg']}") from None


def _named(cases: tuple[Case, ...]) -> list[_NamedCase]:
    if len(cases) < 2:
        raise NotImportable(f"{CASES}: there must be a case to show and one to hide")
    paths = [(case.name or f"case {number}",) for number, case in enumerate(cases, 1)]
    shown = {number for number, case in enumerate(cases) if case.visible} or {0}
    if len(shown) == len(cases):
        raise NotImportable(f"{CASES}: all cases are visible, and one must be hidden")
    return [
        _NamedCase(case, check, Visibility.VISIBLE if number in shown else Visibility.HIDDEN)
        for number, (case, check) in enumerate(zip(cases, check_ids(paths, ()), strict=True))
    ]


def _check(one: _NamedCase) -> Check:
    return Check(
        id=one.check,
        title=" ".join(one.case.name.split()) or f"Case {one.check}",
        transport="process",
        input=CheckInput(argv=one.case.args, stdin=one.case.stdin),
        expect=Expectation(exit=one.case.exit, stdout=one.case.stdout),
        compare=Comparison(kind="text"),
    )


def _languages(
    folder: Path, definitions: Sequence[LanguageDefinition], cases: list[_NamedCase]
) -> tuple[dict[str, LanguageDraft], tuple[str, ...]]:
    found: dict[str, LanguageDraft] = {}
    notes: list[str] = []
    for definition in definitions:
        starter, reference = (
            _files(folder / definition.id),
            _files(folder / REFERENCE / definition.id),
        )
        if not starter:
            continue
        try:
            found[definition.id] = _draft(definition, starter, reference, cases)
        except NotImportable as error:
            notes.append(f"{definition.id} left out: {error}")
    if not found:
        raise NotImportable("; ".join(notes) or "no folder is called like a language")
    return found, tuple(notes)


def _draft(
    definition: LanguageDefinition, starter: Files, reference: Files, cases: list[_NamedCase]
) -> LanguageDraft:
    if not reference:
        raise NotImportable(f"{REFERENCE}/{definition.id} is missing, so nothing can be proved")
    entry = _entry_file(definition)
    if entry and entry not in {**starter, **reference}:
        raise NotImportable(f"there is no {entry}, which {definition.title} starts from here")
    shown = [
        (one.check, one.case.stdin, one.case.stdout)
        for one in cases
        if one.visibility is Visibility.VISIBLE and not one.case.args and not one.case.exit
    ]
    command = starter.get(TEST_COMMAND, example_runner(definition).encode())
    examples = example_files(shown) or {f"{EXAMPLES}/README": b"There are none to show.\n"}
    whole = {**starter, TEST_COMMAND: command, **examples}
    return LanguageDraft(whole, {name: d for name, d in reference.items() if whole.get(name) != d})


def _entry_file(definition: LanguageDefinition) -> str:
    """The one file of a workspace that build or run name; empty where there is none."""
    words = [*(definition.build.argv if definition.build else ()), *definition.run.argv]
    named = (word.removeprefix("{work}/") for word in words if word.startswith("{work}/"))
    return next((name for name in named if "." in name), "")


def _files(folder: Path) -> Mapping[str, bytes]:
    return drop_leftovers(read_files(folder)) if folder.is_dir() else {}
