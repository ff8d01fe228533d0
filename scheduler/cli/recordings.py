"""`gradefarm recordings`: what agents did elsewhere, in the farm's own steps; never ranked."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from models.canonical import with_canonical_form
from models.clock import as_iso
from models.errors import InputFault, InvalidInput
from models.interchange.source_file import SourceFile
from models.interchange.told_session import of_recording
from models.named_file import read_named
from models.plain_text import one_line
from models.schemas.recording import Recording, RecordingFormat, RecordingView
from scheduler.cli.farm_access import JsonFlag, open_farm, open_local_farm
from scheduler.cli.session_export import (
    ContentFlag,
    FormatOption,
    OutputOption,
    export_session,
)
from scheduler.cli.step_text import print_step
from scheduler.cli.text_tables import columns, print_json

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Import what agents did elsewhere, look at it, export it, forget it. It never counts on "
    "boards.",
)

AUTO = "auto"
SUBAGENTS = "subagents"
LARGEST = 256 << 20
"""Bytes of a recording: the longest sessions have some tens of MiB."""
Number = Annotated[int, typer.Argument(metavar="RECORDING", help="A recording's number.", min=1)]
HEAD = ("recording", "format", "agent", "version", "model", "steps", "tokens", "USD", "recorded")


@app.command("import")
def import_them(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Files as the agents wrote them.", dir_okay=False),
    ],
    *,
    chosen: Annotated[
        str, typer.Option("--format", help=f"{AUTO}, or {', '.join(RecordingFormat)}.")
    ] = AUTO,
    as_json: JsonFlag = False,
) -> None:
    """Keep recordings of Claude Code, Codex, ATIF, mini-swe-agent, Inspect or Aider.

    What Claude Code's subagents wrote beside a session's file is taken in with it. The files
    themselves are kept too. A recording that is there already stays as it is.

    \b
      gradefarm recordings import ~/.claude/projects/*/*.jsonl
      gradefarm recordings import trajectory.json --format atif
      gradefarm recordings import logs/*.eval
    """
    kind = _format_of(chosen)
    sources = _read(_with_subagents(files))
    kept = open_local_farm().recordings.keep(sources, kind)
    if as_json:
        print_json({"recordings": [view for view, _ in kept]})
        return
    print(columns(HEAD, [row_of(view) for view, _ in kept]))
    for view, recording in kept:
        for told in recording.told:
            print(f"recording {view.id}: {one_line(told)}")


def _format_of(chosen: str) -> RecordingFormat | None:
    if chosen == AUTO:
        return None
    try:
        return RecordingFormat(chosen)
    except ValueError:
        known = ", ".join((AUTO, *RecordingFormat))
        fault = InputFault("--format", f"there is no format {chosen!r}", f"choose one of: {known}")
        raise InvalidInput("the command line", [fault]) from None


def _with_subagents(files: Sequence[Path]) -> list[Path]:
    """Each file once, a session of Claude Code with those of its subagents."""
    found: dict[Path, None] = {}
    for file in files:
        found[file] = None
        found |= dict.fromkeys(sorted((file.with_suffix("") / SUBAGENTS).glob("*.jsonl")))
    return list(found)


def _read(files: Sequence[Path]) -> list[SourceFile]:
    """Raises InvalidInput with every file that can't be read."""
    found: list[SourceFile] = []
    faults: list[InputFault] = []
    for file in files:
        try:
            found.append(SourceFile(with_canonical_form(file.name), read_named(file, LARGEST)))
        except InvalidInput as error:
            faults += error.faults
        except OSError as error:
            remedy = "name a file that you can read"
            faults.append(InputFault(str(file), f"can't be read: {error.strerror}", remedy))
    if faults:
        raise InvalidInput("the recordings", faults)
    return found


@app.command("list")
def list_them(
    *,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="How many at most.")] = 50,
    as_json: JsonFlag = False,
) -> None:
    """The newest recordings, newest first.

    \b
      gradefarm recordings list
      gradefarm recordings list --limit 5 --json
    """
    found = open_farm().recordings.listed(limit=limit)
    if as_json:
        print_json({"recordings": found})
        return
    print(columns(HEAD, [row_of(view) for view in found]))


def row_of(view: RecordingView) -> tuple[object, ...]:
    """A recording as a line under `HEAD`."""
    cost = None if view.cost_microusd is None else f"{view.cost_microusd / 1_000_000:.4f}"
    recorded = "" if view.started_at is None else as_iso(view.started_at)
    return (
        view.id,
        view.format.value,
        view.agent,
        view.agent_version,
        view.model,
        view.steps,
        view.tokens,
        cost,
        recorded,
    )


@app.command()
def show(recording: Number, *, as_json: JsonFlag = False) -> None:
    """One recording, step by step, as its owner gave it.

    \b
      gradefarm recordings show 3
    """
    found = open_farm().recordings.opened(recording)
    if as_json:
        print_json(found)
        return
    print_recording(recording, found)


def print_recording(number: int, found: Recording) -> None:
    """A recording as a story."""
    agent = one_line(f"{found.agent} {found.agent_version}")
    print(f"recording {number}  {agent}  ({found.format.value})")
    print(f"  session    {one_line(found.session)}")
    print(f"  models     {one_line(', '.join(found.models)) or 'not told'}")
    print(f"  tokens     {_tokens(found)}")
    for source in found.sources:
        print(f"  file       {one_line(source.name)}: artifact {source.digest}")
    for told in found.told:
        print(f"  note       {one_line(told)}")
    for step in found.steps:
        print_step(step)
    print(f"\nended: {one_line(found.ending) or 'not told'}")


def _tokens(found: Recording) -> str:
    usage = found.usage
    if usage is None:
        return "not told"
    return (
        f"{usage.total}: read {usage.input_uncached}, from the cache {usage.cache_read}, "
        f"to the cache {usage.cache_write}, written {usage.output}, reasoning {usage.reasoning}"
    )


@app.command()
def remove(
    recordings: Annotated[
        list[int], typer.Argument(metavar="RECORDING...", help="Their numbers.", min=1)
    ],
) -> None:
    """Forget recordings. `gradefarm prune` makes room afterwards.

    \b
      gradefarm recordings remove 3
    """
    open_local_farm().recordings.remove(recordings)
    print(f"removed {', '.join(map(str, recordings))}")


@app.command()
def export(
    recording: Number,
    *,
    chosen: FormatOption,
    content: ContentFlag = False,
    output: OutputOption = None,
) -> None:
    """A recording as an ATIF document, or as OpenTelemetry's spans.

    \b
      gradefarm recordings export 3 --format atif
      gradefarm recordings export 3 --format otel --output spans.json
    """
    session = of_recording(open_farm().recordings.opened(recording))
    export_session(session, chosen, output, content=content)
