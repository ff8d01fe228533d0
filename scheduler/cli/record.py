"""`gradefarm record`: take the record of a run out of the farm, verify it anywhere, read it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from models.counted_nouns import counted
from models.errors import FarmError, InputFault, InvalidInput, NotFound
from models.plain_text import one_line
from models.records.event_chain import read_chain, split_lines
from models.records.record_files import LARGEST, RecordFiles, pack_record, unpack_record
from models.records.story import story
from models.records.trust_file import parse_trust
from models.records.verification import Gradings, verify_record
from models.schemas.record_event import RecordEvent
from models.schemas.trust import TrustPolicy
from scheduler.cli.farm_access import JsonFlag, open_local_farm
from scheduler.cli.record_text import Tried
from scheduler.cli.text_tables import print_json

if TYPE_CHECKING:
    from scheduler.farm_access.local_farm import LocalFarm

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Records of runs: take them out of the farm, verify them without it, read them.",
)

TrustFile = Annotated[
    Path,
    typer.Option("--trust", metavar="FILE", help="Whom to trust: from `gradefarm keys trust`."),
]


@app.command()
def export(
    run: Annotated[int, typer.Argument(metavar="RUN", help="A run's number.", min=1)],
    *,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Else run-RUN.tar.")
    ] = None,
    blobs: Annotated[
        bool, typer.Option("--blobs/--no-blobs", help="With output and report, or not.")
    ] = True,
    as_json: JsonFlag = False,
) -> None:
    """Write the record of a graded run to a file that anybody can verify.

    What a program printed in a hidden check that it passed is that check's answer. It stands in
    the check report, one of the blobs: withhold them from those who must not see it.

    \b
      gradefarm record export 42 -o run-42.tar
      gradefarm record export 42 --no-blobs
    """
    farm = open_local_farm()
    files = _exported(farm, run, blobs=blobs)
    target = output or Path(f"run-{run}.tar")
    packed = pack_record(files)
    target.write_bytes(packed)
    told = {"run": run, "file": str(target), "bytes": len(packed), "blobs": len(files.blobs)}
    if as_json:
        print_json(told)
        return
    print(f"{target}: {counted(len(packed), 'byte')}, {counted(len(files.blobs), 'blob')}")
    print(f"verify it with: gradefarm record verify {target} --trust trust.json")


def _exported(farm: "LocalFarm", run: int, *, blobs: bool) -> RecordFiles:
    # Not at the top: who only verifies has no database to import.
    from scheduler.keeping.record_export import export_record  # noqa: PLC0415

    return export_record(farm.database, farm.artifacts, run, blobs=blobs)


@app.command()
def verify(
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="Records.")],
    *,
    trust: TrustFile,
    as_json: JsonFlag = False,
) -> None:
    """Check everything that records promise, without the farm, and work their verdicts out again.

    Needs no network and no farm: `pip install gradefarm` is enough. Every record is told of, with
    the reason where it does not hold; the exit code is that of the worst, 4 for one that was
    refused. The trust file must come from the farm's owner, not with a record.

    \b
      gradefarm record verify run-42.tar --trust trust.json
      gradefarm record verify run-*.tar --trust trust.json --json
    """
    policy = parse_trust(_read(trust), str(trust))
    before, tried = Gradings(), list[Tried]()
    for file in files:
        tried.append(_try(file, policy, before))
        if not as_json:
            _print(tried[-1])
    if as_json:
        print_json([one.as_json() for one in tried])
    _refuse_worst(tried)


@app.command()
def show(
    what: Annotated[str, typer.Argument(metavar="RUN|FILE", help="A run's number, or a record.")],
    *,
    as_json: JsonFlag = False,
) -> None:
    """Tell a record as a story: what happened, when, and what came of it. Checks no signature.

    \b
      gradefarm record show 42
      gradefarm record show run-42.tar
    """
    events = _events_of(what)
    if as_json:
        print_json(events)
        return
    print(f"record of run {events[0].run}, {counted(len(events), 'event')}; not verified here")
    for line in story(events):
        print(line)


def _try(file: Path, policy: TrustPolicy, before: Gradings) -> Tried:
    try:
        found = verify_record(unpack_record(_read(file)), policy)
        before.take(found)
    except FarmError as error:
        # The frames that it came through hold the whole record.
        error.__traceback__ = error.__cause__ = error.__context__ = None
        return Tried(file, refused=error)
    return Tried(file, found)


def _print(one: Tried) -> None:
    refused = one.refused
    told = one.lines() if refused is None else [f"{one.file}: DOES NOT HOLD: {refused.message}"]
    print("\n".join(one_line(line) for line in told), flush=True)


def _refuse_worst(tried: list[Tried]) -> None:
    """Raise what was said of the worst record, if any does not hold."""
    refused = [one for one in tried if one.refused is not None]
    if not refused:
        return
    worst = max(refused, key=lambda one: one.exit_code)
    assert worst.refused is not None
    if len(tried) > 1:
        told = f"{len(refused)} of {len(tried)} records do not hold: {worst.file}: "
        worst.refused.message = told + worst.refused.message
    raise worst.refused


def _events_of(what: str) -> list[RecordEvent]:
    if not what.isdigit():
        return read_chain(split_lines(unpack_record(_read(Path(what))).events))
    farm = open_local_farm()
    # Not at the top: who only verifies has no database to import.
    from scheduler.keeping.record_export import recorded_lines  # noqa: PLC0415

    return read_chain(recorded_lines(farm.database, int(what)))


def _read(file: Path) -> bytes:
    """What is in a file, up to what a record may have. Raises NotFound, InvalidInput."""
    try:
        with file.open("rb") as opened:
            return opened.read(LARGEST + 1)
    except FileNotFoundError:
        raise NotFound(f"there is no file {file}.", remedy="Name a record, or a run.") from None
    except (OSError, ValueError) as error:
        told = error.strerror if isinstance(error, OSError) else str(error)
        fault = InputFault(str(file), f"can't be read: {told}", "name a file that you may read")
        raise InvalidInput("the command line", [fault]) from error
