"""The farm that a command is about."""

from typing import Annotated

import typer

from models.settings import current_settings
from scheduler.farm_access.farm import Farm
from scheduler.farm_access.local_farm import LocalFarm

JsonFlag = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


def open_farm() -> Farm:
    """The farm that the environment of this process names. Touches nothing yet."""
    return open_local_farm()


def open_local_farm() -> LocalFarm:
    """The farm of this machine's settings, for what can't be done from elsewhere."""
    return LocalFarm(current_settings())
