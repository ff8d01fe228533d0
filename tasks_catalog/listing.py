"""What a list of the catalogue says of each task, for people and programs here and elsewhere."""

from collections.abc import Iterator
from contextlib import suppress

from models.errors import Refused
from models.schemas.base import Schema
from models.schemas.check import Visibility
from models.schemas.task import PublicManifest
from tasks_catalog.catalog import Catalog


class TaskLine(Schema):
    """What the list says of one task; None stands for what only the sealed half tells."""

    task: str
    title: str
    version: int
    tags: tuple[str, ...]
    languages: tuple[str, ...]
    visible_checks: int
    hidden_checks: int | None
    faults: int | None
    sealed_half: bool


class CatalogListing(Schema):
    """Every task, and the title of every language that has a definition."""

    tasks: tuple[TaskLine, ...]
    languages: dict[str, str]


def list_catalog(catalog: Catalog) -> CatalogListing:
    """What there is. Raises PackageInvalid where a package can't be read."""
    return CatalogListing(
        tasks=tuple(_task_line(catalog, manifest) for manifest in catalog.public_manifests()),
        languages={each.id: each.title for each in catalog.languages().values()},
    )


def listing_lines(listing: CatalogListing) -> Iterator[str]:
    """The list in words."""
    for task in listing.tasks:
        yield f"{task.task}  {task.title}"
        yield f"    languages  {', '.join(task.languages)}"
        hidden = "" if task.hidden_checks is None else f", {task.hidden_checks} hidden"
        yield f"    checks     {task.visible_checks} visible{hidden}"
        if task.faults is not None:
            yield f"    faults     {task.faults} planted"
        if not task.sealed_half:
            yield "    sealed     not on this machine"
    yield "Languages with a definition:"
    for language, title in listing.languages.items():
        yield f"    {language:<14} {title}"


def _task_line(catalog: Catalog, manifest: PublicManifest) -> TaskLine:
    whole = None
    with suppress(Refused):
        whole = catalog.task(manifest.id)
    return TaskLine(
        task=manifest.id,
        title=manifest.title,
        version=manifest.version,
        tags=manifest.tags,
        languages=manifest.languages,
        visible_checks=len(manifest.ids_of(Visibility.VISIBLE)),
        hidden_checks=None if whole is None else len(whole.ids_of(Visibility.HIDDEN)),
        faults=None if whole is None else len(whole.faults),
        sealed_half=catalog.holds_sealed(manifest.id),
    )
