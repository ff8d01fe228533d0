"""`gradefarm catalog export`: one half of the catalogue, for the machines of one role."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from pydantic_core import to_json

from models.counted_nouns import counted
from models.schemas.task import TaskManifest
from models.settings import Settings, current_settings
from tasks_catalog.catalog import open_catalog
from tasks_catalog.half_export import Half, WholePackage, export_half
from tasks_catalog.loading import MANIFEST_FILE
from tasks_catalog.package_faults import PackageInvalid
from tasks_catalog.parsing import parse_manifest
from tasks_catalog.validation import package_faults

SETTINGS = {Half.PUBLIC: "GRADEFARM_CATALOG_PUBLIC", Half.SEALED: "GRADEFARM_CATALOG_SEALED"}


def export(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new or an empty folder.")],
    *,
    half: Annotated[Half, typer.Option("--half", help="Which half to write.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
) -> None:
    """Write one half of the catalogue for the machines of one role.

    The public half is all that agent workers need: it names no hidden check, no expected answer
    and no fault. Graders and the scheduler need both. Packages with faults are refused.
    """
    settings = current_settings()
    counts = export_half(list(_packages(settings)), half, folder)
    if as_json:
        record = {"half": half, "folder": str(folder.absolute()), "files": dict(counts)}
        typer.echo(to_json(record, indent=2).decode())
        return
    files = counted(sum(count for _, count in counts), "file")
    tasks = counted(len(counts), "task")
    typer.echo(f"wrote the {half} half of {tasks}: {files} in {folder}. Next:")
    typer.echo(f"    {SETTINGS[half]}={folder.absolute()}")


def _packages(settings: Settings) -> Iterator[WholePackage]:
    """Every task with both halves. Raises Refused, or PackageInvalid for one with faults."""
    public, sealed = settings.catalog_public, settings.catalog_sealed
    catalog = open_catalog(public, sealed, settings.languages)
    catalog.refuse_public_alone("an export")
    known = tuple(catalog.languages())
    for manifest in catalog.tasks():
        package = public / manifest.id
        sealed_package = package if sealed is None else sealed / manifest.id
        if faults := package_faults(package, sealed_package, known):
            raise PackageInvalid(str(package), faults)
        file = _manifest_file(package, sealed_package)
        yield WholePackage(manifest, file, package, sealed_package)


def _manifest_file(package: Path, sealed_package: Path) -> Path:
    own = package / MANIFEST_FILE
    whole = isinstance(parse_manifest(own, MANIFEST_FILE).value, TaskManifest)
    return own if whole else sealed_package / MANIFEST_FILE
