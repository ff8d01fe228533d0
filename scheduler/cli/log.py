"""`gradefarm log`: what the farm's transparency log holds."""

from pathlib import Path
from typing import Annotated

import typer

from models.counted_nouns import counted
from models.errors import InputFault, InvalidInput, NotFound, Refused
from models.named_file import read_named_text
from models.plain_text import one_line
from models.records.refusal import RecordRefused
from models.records.signed_note import read_checkpoint
from models.settings import current_settings
from models.storage.key_folder import KeyFolder
from models.storage.transparency_log import known_log
from scheduler.cli.farm_access import JsonFlag, open_local_farm
from scheduler.cli.text_tables import print_json
from scheduler.farm_log import FarmLog
from scheduler.log_check import LogCheck, check_log

LARGEST = 64 << 10
"""Bytes of a kept checkpoint, which takes some hundreds."""

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="The farm's log: that every run was opened before its work, and closed once.",
)


@app.command()
def checkpoint(*, as_json: JsonFlag = False) -> None:
    """The newest checkpoint, signed. Who keeps one can prove later that the log only grew.

    \b
      gradefarm log checkpoint > checkpoint.txt
    """
    with open_local_farm().database.read() as session:
        state = known_log(session)
    if as_json:
        print_json({"log": state.origin, "size": state.size, "checkpoint": state.checkpoint})
        return
    print(state.checkpoint, end="")


@app.command()
def begin(*, as_json: JsonFlag = False) -> None:
    """Begin the log of a farm that has none with the keys in GRADEFARM_KEYS; missing ones are made.

    The first scheduler does it by itself. Where every machine holds its own key alone, do it once
    on the one that has all of them: the log names these keys, and the root's is needed no more.

    \b
      gradefarm log begin
    """
    farm = open_local_farm()
    begun = FarmLog(farm.database, KeyFolder(current_settings().keys)).begin_now()
    with farm.database.read() as session:
        name = known_log(session).origin
    if as_json:
        print_json({"log": name, "begun": begun})
        return
    print(f"{name} {'is begun' if begun else 'was begun before'}")


@app.command()
def check(
    *,
    against: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A checkpoint that somebody kept.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Read the whole log again: its tree, its signatures, one closing for each opening.

    Exit code 4 where a rule is broken. A run that was opened and not closed is at work, or was
    abandoned; it is counted and named, since nobody may hide runs that went badly.

    \b
      gradefarm log check
      gradefarm log check --against checkpoint.txt
    """
    kept = "" if against is None else _read(against)
    found = check_log(open_local_farm().database, kept)
    if as_json:
        print_json(found)
    else:
        _print(found)
    if found.findings.faults:
        raise Refused(
            f"the log does not hold: {found.findings.faults[0]}.",
            remedy="Trust no record of this farm until that is explained.",
        )


def _print(found: LogCheck) -> None:
    told = found.findings
    print(f"{found.log}: {counted(found.size, 'leaf', 'leaves')}, {found.pending} waiting")
    print(f"  opened     {told.opened}")
    print(f"  closed     {told.closed}, of them graded again {told.regraded}")
    print(f"  void       {counted(told.void, 'attempt')}")
    if told.restored:
        sizes = ", ".join(map(str, told.restored))
        print(f"  restored   {counted(len(told.restored), 'time')} from a backup, at leaf {sizes}")
    if found.grew_from is not None:
        leaves = counted(found.grew_from, "leaf", "leaves")
        print(f"  kept       the log grew out of the checkpoint of {leaves}")
    named = ", ".join(run for run, _ in told.open[:20])
    print(one_line(f"  not closed {len(told.open)}{f': runs {named}' if named else ''}"))
    for fault in told.faults:
        print(one_line(f"  FAULT      {fault}"))


def _read(file: Path) -> str:
    """A kept checkpoint. Raises NotFound, InvalidInput."""
    try:
        note = read_named_text(file, LARGEST)
        read_checkpoint(note)
    except FileNotFoundError:
        raise NotFound(f"there is no file {file}.", remedy="Name a kept checkpoint.") from None
    except (OSError, UnicodeDecodeError, RecordRefused) as error:
        told = error.message if isinstance(error, RecordRefused) else type(error).__name__
        remedy = "keep what `gradefarm log checkpoint` prints, whole"
        raise InvalidInput(str(file), [InputFault("checkpoint", told, remedy)]) from None
    return note
