"""`gradefarm`: the command line of the whole farm, and the one place where errors are printed."""

import errno
import json
import os
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, NoReturn, cast

import typer
from typer.core import TyperGroup
from typer.main import get_command

from models.errors import FarmError, Infrastructure, InputFault, InvalidInput
from models.full_disk import disk_full, is_disk_full
from models.plain_text import printable
from models.records.refusal import RecordRefused
from scheduler.cli.command_group import LazyGroup, lazy_commands, load
from scheduler.cli.server_choice import SERVER_HELP, choose_server

EXIT_CODES = """\b
Exit codes:
    0  done                              3  not found
    1  a fault of gradefarm itself       4  refused, or a gate is not green
    2  bad input                         5  the farm's infrastructure
  130  interrupted
"""

NAMES_OF_DATABASE_ERRORS = frozenset(
    {"DatabaseError", "OperationalError", "ProgrammingError", "InterfaceError"}
)
REFUSALS = frozenset(
    {
        errno.EACCES,
        errno.EPERM,
        errno.EROFS,
        errno.ENOSPC,
        errno.EDQUOT,
        errno.EEXIST,
        errno.ENOTDIR,
        errno.EISDIR,
        errno.ENAMETOOLONG,
    }
)
"""What a machine answers where a folder or a file is not one that a farm can use."""
OURS = frozenset({"models", "tasks_catalog", "workers", "scheduler"})
READER_GONE = 141
"""As the shell says it of a program that SIGPIPE ended."""

app = typer.Typer(
    cls=LazyGroup,
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=EXIT_CODES,
)


def _say_version(asked: bool) -> None:
    if asked:
        print(f"gradefarm {version('gradefarm')}")
        raise typer.Exit


@app.callback()
def gradefarm(
    *,
    _version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_say_version, is_eager=True),
    ] = False,
    _server: Annotated[
        str | None,
        typer.Option("--server", help=SERVER_HELP, metavar="URL", callback=choose_server),
    ] = None,
) -> None:
    """A grading farm for coding agents.

    Every figure carries its variance, and every verifier is proved first. Begin with one of:

    \b
      gradefarm demo                            everything at once, on this machine
      gradefarm up                              a farm in this terminal; then, in another:
      gradefarm gate run                        prove the verifiers
      gradefarm campaign new my.toml            write a campaign file to edit
      gradefarm campaign start my.toml --watch  run it
      gradefarm board                           read it

    Every command that shows something takes --json, which turns its errors into JSON too.
    Results are kept in GRADEFARM_HOME; `gradefarm doctor` says where that is.
    """


def command_tree() -> list[tuple[str, ...]]:
    """Every leaf command as its words, for example `("campaign", "start")`."""
    tree: list[tuple[str, ...]] = []
    for command in lazy_commands():
        loaded = load(command)
        leaves = list(loaded.commands) if isinstance(loaded, TyperGroup) else []
        tree += [(command.name, leaf) for leaf in leaves] or [(command.name,)]
    return tree


def main() -> NoReturn:
    """Run the command line of this process; ends it with a documented exit code."""
    _write_somewhere()
    try:
        ended = run_command()
        sys.stdout.flush()
    except BrokenPipeError:
        _forget_reader()
        sys.exit(READER_GONE)
    except FarmError as error:
        fail(error)
    except Exception as error:
        told = as_farm_error(error)
        if told is None:
            raise
        fail(told)
    sys.exit(ended)


def run_command() -> int:
    """Run the command that the words of this process name; returns its exit code.

    Raises InvalidInput for words that no command takes, where JSON is wanted.
    """
    try:
        # Typer prints its errors as text, unless it leaves them to the caller.
        ended = cast(
            "object", get_command(app)(prog_name="gradefarm", standalone_mode=not wants_json())
        )
    except typer.TyperException as error:
        fault = InputFault("words", error.format_message(), "see what --help says of the command")
        raise InvalidInput("the command line", [fault]) from error
    except SystemExit as end:
        # Typer ends the process itself, with the code of a fault, when a reader has gone.
        if isinstance(end.__context__, BrokenPipeError):
            raise end.__context__ from None
        ended = end.code
    return ended if isinstance(ended, int) else 0


def _write_somewhere() -> None:
    """A process without standard output gets one: whatever is written is not to be seen."""
    # Python leaves None there when a shell closed it; the types don't know that.
    if cast("object", sys.stdout) is None:
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - stays open


def _forget_reader() -> None:
    """Let what is still to be written go nowhere: Python flushes once more when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def as_farm_error(error: Exception) -> FarmError | None:
    """What a person is told of an error of a driver or of the machine; None for a fault of ours."""
    if isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0] not in OURS:
        return Infrastructure(
            "farm",
            f"this install of gradefarm only verifies and shows records: {error.name} is missing.",
            remedy="Install the whole farm for other commands: `pip install 'gradefarm[farm]'`.",
        )
    if is_from_database(error) and is_disk_full(error):
        return disk_full()
    if is_from_database(error):
        return Infrastructure(
            "farm",
            f"the database does not answer: {str(error).splitlines()[0]}",
            remedy="Start it or check GRADEFARM_DATABASE_URL; `gradefarm db upgrade` makes "
            "its tables.",
        )
    if isinstance(error, OSError) and error.errno in REFUSALS and error.filename is not None:
        return Infrastructure(
            "farm",
            f"{error.filename}: {error.strerror}.",
            remedy="Everything is kept below GRADEFARM_HOME: set it to a folder that you can "
            "write; `gradefarm doctor` looks at it.",
        )
    return None


def is_from_database(error: Exception) -> bool:
    """Whether a driver says that a database, its file or its tables can't be used."""
    # The module name instead of the class: importing SQLAlchemy would make every command slow.
    kind = type(error)
    return kind.__module__ == "sqlalchemy.exc" and kind.__name__ in NAMES_OF_DATABASE_ERRORS


def wants_json() -> bool:
    """Whether JSON is asked for, also where the other words are wrong."""
    return "--json" in sys.argv[1:]


def fail(error: FarmError) -> NoReturn:
    """Print an error and end with its exit code."""
    report(error, as_json=wants_json())
    sys.exit(error.exit_code)


def report(error: FarmError, *, as_json: bool) -> None:
    """Print an error with its remedy to standard error."""
    if as_json:
        print(json.dumps({"error": error_record(error)}), file=sys.stderr)
        return
    print(f"gradefarm: {printable(error.message)}", file=sys.stderr)
    if error.remedy:
        print(f"  -> {printable(error.remedy)}", file=sys.stderr)


def error_record(error: FarmError) -> dict[str, object]:
    """An error as a JSON object: kind, message, remedy, retryable, exit_code, faults if any."""
    record: dict[str, object] = {
        "kind": type(error).__name__,
        "message": error.message,
        "remedy": error.remedy,
        "retryable": error.retryable,
        "exit_code": error.exit_code,
    }
    if isinstance(error, InvalidInput):
        record["faults"] = [fault.as_json() for fault in error.faults]
    if isinstance(error, RecordRefused):
        record["reason"] = error.reason.value
    return record


if __name__ == "__main__":
    main()
