"""The farm that a command is about: of this machine, or elsewhere."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from models.settings import current_settings
from scheduler.cli.server_choice import refuse_server
from scheduler.farm_access.farm import Farm

if TYPE_CHECKING:
    from scheduler.farm_access.local_farm import LocalFarm

JsonFlag = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


def open_farm() -> Farm:
    """The farm that `--server` or the settings of this process name. Touches nothing yet."""
    settings = current_settings()
    if not settings.server:
        return open_local_farm()
    # Not at the top: commands on a farm of this machine must not wait for an HTTP client.
    from scheduler.remote_farm.remote_farm import RemoteFarm  # noqa: PLC0415

    return RemoteFarm(settings, _say_aside)


def _say_aside(text: str) -> None:
    """Beside the result; above what is redrawn."""
    print(f"gradefarm: {text}", file=sys.stderr, flush=True)


def open_local_farm() -> "LocalFarm":
    """The farm of this machine, for what can't be done from elsewhere.

    Raises Refused where a farm elsewhere is asked for.
    """
    settings = current_settings()
    if settings.server:
        refuse_server(settings.server, "works on the database of a farm")
    # Not at the top: commands on a farm elsewhere need no database.
    from scheduler.farm_access.local_farm import LocalFarm  # noqa: PLC0415

    return LocalFarm(settings)
