"""`gradefarm flower`: Flower as a process of its own, behind a login, unable to change anything."""

import os
from typing import Annotated

import typer

from models.errors import InputFault, InvalidInput
from models.settings import Settings, current_settings, process_environment
from scheduler.embedded_farm.flower import (
    PASSWORD_FILE,
    FlowerLogin,
    flower_command,
    flower_environment,
    flower_login,
    free_port,
)

app = typer.Typer(rich_markup_mode=None)


@app.command()
def flower(
    *,
    address: Annotated[
        str, typer.Option(help="The address to listen on; empty: GRADEFARM_FLOWER_ADDRESS.")
    ] = "",
    port: Annotated[
        int | None,
        typer.Option(min=0, max=65_535, help="The port; 0: any; else GRADEFARM_FLOWER_PORT."),
    ] = None,
) -> None:
    """Run Flower in the foreground: what every worker does, job by job.

    It always asks for a login: GRADEFARM_FLOWER_LOGIN as user:password, else one that is made
    once and kept in the farm's home. `gradefarm up` has a Flower of its own.

    \b
      gradefarm flower
      gradefarm flower --address 0.0.0.0 --port 5555
    """
    settings = current_settings()
    login = login_of(settings)
    where = address or settings.flower_address
    wanted = settings.flower_port if port is None else port
    chosen = wanted or free_port(0)
    told = "GRADEFARM_FLOWER_LOGIN" if settings.flower_login else settings.home / PASSWORD_FILE
    print(f"Flower on http://{where}:{chosen}/ for {login.user}; password: {told}", flush=True)
    command = flower_command(chosen, where)
    # Celery imports from where it runs, and nobody else may put modules there.
    settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.chdir(settings.home)
    environment = flower_environment(process_environment(), login) | {"PYTHONSAFEPATH": "1"}
    # This process becomes Flower, so that signals reach it and its exit code is Flower's.
    os.execve(command[0], command, environment)


def login_of(settings: Settings) -> FlowerLogin:
    """The login that the settings name, else the one of the farm's home.

    Raises InvalidInput for one that is not user:password.
    """
    given = settings.flower_login.get_secret_value()
    if not given:
        return flower_login(settings.home)
    user, _, password = given.partition(":")
    if not user or not password:
        fault = InputFault("GRADEFARM_FLOWER_LOGIN", "is not user:password", "write it so")
        raise InvalidInput("the environment", [fault])
    return FlowerLogin(user, password)
