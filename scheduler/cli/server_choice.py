"""`--server`: which commands can be carried out on a farm elsewhere, and why the others can't."""

from typing import Annotated, Any, cast

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from models.errors import Refused

STARTS = "starts processes on the machine where it is typed"
ROWS = "works on the database of a farm"
FOLDERS = "works on folders of the machine where it is typed"
LOCAL_ONLY: dict[tuple[str, ...], str] = {
    ("demo",): STARTS,
    ("up",): STARTS,
    ("scheduler",): STARTS,
    ("worker",): STARTS,
    ("gateway",): STARTS,
    ("api",): STARTS,
    ("flower",): STARTS,
    ("doctor",): "looks at the machine where it is typed",
    ("db",): ROWS,
    ("tokens",): ROWS,
    ("backup",): ROWS,
    ("restore",): ROWS,
    ("prune",): ROWS,
    ("metrics",): ROWS,
    ("recordings", "import"): ROWS,
    ("keys",): ROWS,
    ("log",): ROWS,
    ("record", "export"): ROWS,
    ("record", "show"): "reads a file, or the database of a farm",
    ("record", "verify"): "needs no farm",
    ("catalog", "export"): FOLDERS,
    ("catalog", "hash"): FOLDERS,
    ("catalog", "import"): FOLDERS,
    ("catalog", "new"): FOLDERS,
    ("catalog", "validate"): FOLDERS,
}
"""What each of these commands does, by their first words; all others work with `--server`."""
SERVER_HELP = "The farm behind this `gradefarm api`, instead of this machine's (GRADEFARM_SERVER)."


def choose_server(value: str | None) -> None:
    """Let this process be about the farm at `value`; None leaves what the environment says."""
    if value is not None:
        # Not at the top: the list of commands is shown without reading any settings.
        from models.settings import use_server  # noqa: PLC0415

        use_server(value)


def refuse_server(server: str, reason: str) -> None:
    """Raises Refused for a command that can't be carried out elsewhere: it `reason`."""
    raise Refused(
        f"this command {reason}: it can't be carried out on {server}.",
        remedy="Type it on the farm's machine; here, leave --server and GRADEFARM_SERVER out.",
    )


def why_local(words: tuple[str, ...]) -> str:
    """Why a command can't be carried out elsewhere; empty where it can."""
    return next(
        (LOCAL_ONLY[words[:end]] for end in range(len(words) + 1) if words[:end] in LOCAL_ONLY), ""
    )


def offer_server(command: TyperCommand | TyperGroup, words: tuple[str, ...]) -> None:
    """Let a command, and those below it, take `--server`, or refuse it with the reason."""
    command.params.append(_option(why_local(words)))
    for name, below in command.commands.items() if isinstance(command, TyperGroup) else ():
        offer_server(cast("TyperCommand | TyperGroup", below), (*words, name))


def _option(reason: str) -> Any:
    """The option as Typer builds it; its type is private there."""

    def choose(value: str | None) -> None:
        choose_server(value)
        if reason:
            # Not at the top, as above.
            from models.settings import current_settings  # noqa: PLC0415

            if server := current_settings().server:
                refuse_server(server, reason)

    sample = typer.Typer(add_completion=False)

    @sample.command()
    def sampled(
        server: Annotated[
            str | None,
            typer.Option(
                help=SERVER_HELP,
                metavar="URL",
                callback=choose,
                hidden=bool(reason),
                expose_value=False,
            ),
        ] = None,
    ) -> None: ...

    return get_command(sample).params[0]
