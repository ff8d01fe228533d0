"""`gradefarm catalog`: list what there is, validate task packages, show what decides a universe."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from pydantic_core import to_json

from models.counted_nouns import counted
from models.errors import InputFault, InvalidInput, NotFound, Refused
from models.identifiers import Digest, is_slug, short_digest
from models.plain_text import one_line
from models.records.universe_proof import universe_of
from models.settings import Settings, current_settings
from tasks_catalog.catalog import Catalog, open_catalog
from tasks_catalog.compiled_leftovers import drop_compiled
from tasks_catalog.content_hash import PARTS, check_digest
from tasks_catalog.export_command import export
from tasks_catalog.importers.cli import import_tasks
from tasks_catalog.listing import CatalogListing, list_catalog, listing_lines
from tasks_catalog.loading import MANIFEST_FILE, load_languages, load_runners, task_folders
from tasks_catalog.new_package import write_new_package
from tasks_catalog.package_faults import PackageFault, PackageInvalid
from tasks_catalog.validation import package_faults

app = typer.Typer(
    help="List tasks and languages; validate task packages.",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
)

JsonFlag = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
INVALID = 2


app.command("import")(import_tasks)
app.command("export")(export)


@app.command("list")
def list_tasks(as_json: JsonFlag = False) -> None:
    """Tasks with their languages, checks and planted faults; languages with their titles."""
    print_listing(list_catalog(_catalog(current_settings())), as_json=as_json)


def print_listing(listing: CatalogListing, *, as_json: bool) -> None:
    """The tasks and languages of a catalogue, here or elsewhere."""
    if as_json:
        _print_json(listing)
        return
    for line in listing_lines(listing):
        typer.echo(line)


@app.command("validate")
def validate(
    targets: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TASK|PATH]...", help="Task ids or package folders; default: all."),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Find every fault of task packages; exit status 2 where there is one."""
    settings = current_settings()
    results: list[tuple[str, tuple[PackageFault, ...]]] = []
    known: tuple[str, ...] = ()
    suites: tuple[str, ...] | None = None
    drop_compiled(settings.catalog_public, settings.catalog_sealed, settings.languages)
    try:
        known = tuple(load_languages(settings.languages))
        suites = tuple(load_runners(settings.languages))
    except PackageInvalid as error:
        results.append((str(settings.languages), error.package_faults))
        known = tuple(path.stem for path in settings.languages.glob("*.toml"))
    for package, sealed in _packages(settings, targets or []):
        results.append((package.name, package_faults(package, sealed, known, suites)))
    if as_json:
        _print_json([{"source": source, "faults": faults} for source, faults in results])
    else:
        _print_faults(results)
    if any(faults for _, faults in results):
        raise typer.Exit(INVALID)


def _print_faults(results: Sequence[tuple[str, tuple[PackageFault, ...]]]) -> None:
    for source, faults in results:
        typer.echo(one_line(f"{source}: {counted(len(faults), 'fault') if faults else 'sound'}"))
        for fault in faults:
            typer.echo(f"  {one_line(str(fault.as_input_fault()))}")


def _packages(settings: Settings, targets: Sequence[str]) -> list[tuple[Path, Path | None]]:
    if not targets:
        folders = task_folders(settings.catalog_public)
        return [(folder, _sealed_package(settings, folder.name)) for folder in folders]
    return [_package(settings, target) for target in targets]


def _package(settings: Settings, target: str) -> tuple[Path, Path | None]:
    path = Path(target)
    if path.is_dir():
        return path.resolve(), path.resolve()
    package = settings.catalog_public / target
    if "/" in target or not (package / MANIFEST_FILE).is_file():
        raise NotFound(
            f"{target} is neither a task of the catalogue nor a folder.",
            remedy="`gradefarm catalog list` names the tasks.",
        )
    return package, _sealed_package(settings, target)


def _sealed_package(settings: Settings, task: str) -> Path | None:
    return None if settings.catalog_sealed is None else settings.catalog_sealed / task


@app.command("new")
def new(
    task: Annotated[str, typer.Argument(metavar="TASK", help="The id of the new task.")],
    *,
    into: Annotated[Path, typer.Option("--into", help="The folder of task packages.")] = Path(),
    language: Annotated[
        list[str] | None, typer.Option("--language", help="Repeat it; default: all defined.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Write a task package to fill in: it validates, and its gate is red until it is solved."""
    if not is_slug(task):
        fault = InputFault("TASK", f"{task!r} can't be an id", "use a-z, 0-9 and inner hyphens")
        raise InvalidInput("the command line", [fault])
    catalog = _catalog(current_settings())
    chosen = [catalog.language(each) for each in language or catalog.languages()]
    written = write_new_package(into, task, chosen)
    if as_json:
        _print_json({"task": task, "package": str(into / task), "files": list(map(str, written))})
        return
    files, languages = counted(len(written), "file"), counted(len(chosen), "language")
    typer.echo(f"wrote {into / task}: {files} in {languages}. Next:")
    typer.echo(f"    gradefarm catalog validate {into / task}")
    typer.echo(f"    gradefarm gate run --task {task}    (GRADEFARM_CATALOG_PUBLIC and ..._SEALED")
    typer.echo(f"    have to name {into.resolve()}); it is red until the reference is a solution")


@dataclass(frozen=True, slots=True)
class UniverseView:
    """A variant's universe with the digest of every part, and of every check by id."""

    variant: str
    universe: Digest
    parts: dict[str, Digest]
    checks: dict[str, Digest]


@app.command("hash")
def show_hash(
    targets: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TASK[/LANGUAGE]]...", help="Default: every variant."),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """The universe of each variant, and its parts: a change of any one makes a new universe."""
    catalog = _catalog(current_settings())
    views = [_universe_view(catalog, *name) for name in _variants(catalog, targets or [])]
    if as_json:
        _print_json(views)
        return
    for view in views:
        typer.echo(f"{view.variant}  {view.universe}")
        for part, digest in view.parts.items():
            typer.echo(f"    {part:<16} {short_digest(digest, 16)}  {PARTS[part]}")


def _variants(catalog: Catalog, targets: Sequence[str]) -> list[tuple[str, str]]:
    if not targets:
        targets = [task for task in catalog.names() if catalog.holds_sealed(task)]
        if not targets:
            raise Refused(
                "this machine holds no sealed half, which is part of every universe.",
                remedy="Ask on a machine with the grade role, or set GRADEFARM_CATALOG_SEALED.",
            )
    variants: list[tuple[str, str]] = []
    for target in targets:
        task, _, language = target.partition("/")
        languages = (language,) if language else catalog.public_manifest(task).languages
        variants += [(task, each) for each in languages]
    return variants


def _universe_view(catalog: Catalog, task: str, language: str) -> UniverseView:
    parts = catalog.universe_parts(task, language)
    checks = catalog.sealed_half(task, language).checks
    return UniverseView(
        variant=f"{task}/{language}",
        universe=universe_of(parts),
        parts={part: parts[part] for part in PARTS},
        checks={check.id: check_digest(check) for check in checks},
    )


def _catalog(settings: Settings) -> Catalog:
    return open_catalog(settings.catalog_public, settings.catalog_sealed, settings.languages)


def _print_json(value: object) -> None:
    typer.echo(to_json(value, indent=2).decode())
