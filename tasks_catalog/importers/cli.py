"""`gradefarm catalog import`: task packages from tasks in other layouts."""

from collections.abc import Collection
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from pydantic_core import to_json

from models.errors import NotFound, Refused
from models.settings import current_settings
from tasks_catalog.importers.import_report import NO_FAULTS, ImportLine, report_lines
from tasks_catalog.importers.import_run import Wish, import_exercism, import_neutral
from tasks_catalog.importers.package_placing import Placing
from tasks_catalog.loading import load_languages, load_runners


class Layout(StrEnum):
    """The layouts that can be imported."""

    EXERCISM = "exercism"
    NEUTRAL = "neutral"


def import_tasks(
    layout: Annotated[Layout, typer.Argument(help="How the source is laid out.")],
    source: Annotated[
        Path,
        typer.Argument(
            exists=True, file_okay=False, help="A folder with exercises at or below it."
        ),
    ],
    *,
    into: Annotated[Path, typer.Option(help="The folder of task packages to write into.")],
    language: Annotated[
        list[str] | None, typer.Option(help="Only this language; may be given several times.")
    ] = None,
    exercise: Annotated[
        list[str] | None, typer.Option(help="Only this exercise; may be given several times.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Stop after so many (exercism: in each language).")
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace packages that are there already.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
) -> None:
    """Make task packages of tasks that were made for something else. Exit code 4 if none came in.

    exercism: folders with `.meta/config.json`, whose native tests become the hidden checks of one
    task for each exercise and language. neutral: folders with `spec.md`, `tests.json` and a starter
    for each language. An exercise comes in whole or not at all, with the reason. What came in is
    proved like every task: GRADEFARM_CATALOG_PUBLIC and GRADEFARM_CATALOG_SEALED name the folder,
    `gradefarm gate run` proves it.

    \b
      gradefarm catalog import exercism polyglot --into my-tasks --language python --limit 20
      gradefarm catalog import neutral their-tasks --into my-tasks
    """
    wish = Wish(frozenset(language or ()), frozenset(exercise or ()), limit)
    lines = _import(layout, source, wish, into, replace=replace)
    _print(lines, as_json=as_json)
    if not any(line.imported for line in lines):
        raise Refused(
            "nothing was imported.",
            remedy=f"Look for the reasons above, or for {layout} tasks below another folder.",
        )


def _import(
    layout: Layout, source: Path, wish: Wish, into: Path, *, replace: bool
) -> list[ImportLine]:
    languages = current_settings().languages
    definitions, runners = load_languages(languages), load_runners(languages)
    _refuse_unknown(wish.languages, definitions)
    placing = Placing(into, replace, tuple(definitions), tuple(runners))
    if layout is Layout.EXERCISM:
        return import_exercism(source, wish, placing, runners)
    return import_neutral(source, wish, placing, list(definitions.values()))


def _refuse_unknown(languages: Collection[str], known: Collection[str]) -> None:
    for language in languages:
        if language not in known:
            raise NotFound(
                f"there is no language {language}.", remedy=f"Known: {', '.join(known)}."
            )


def _print(lines: list[ImportLine], *, as_json: bool) -> None:
    if as_json:
        told = {"exercises": lines, "note": NO_FAULTS}
        typer.echo(to_json(told, indent=2).decode())
    elif lines:
        typer.echo("\n".join(report_lines(lines)))
