"""`gradefarm api`: the farm over HTTP, on loopback."""

import socket
from typing import Annotated

import typer
import uvicorn

from models.errors import Refused
from scheduler.api.app import build_api
from scheduler.api.loopback import is_loopback
from scheduler.cli.farm_access import open_local_farm

app = typer.Typer(rich_markup_mode=None)


@app.command()
def api(
    *,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="The port; 0: any.")] = 8600,
) -> None:
    """Answer questions about proofs over HTTP, in the foreground: /api/gates, /api/docs.

    Everybody who reaches the address may read, so that it has to be a loopback address.

    \b
      gradefarm api
      curl 'http://127.0.0.1:8600/api/gates?language=go&colour=red'
    """
    if not is_loopback(host):
        raise Refused(
            f"{host} is no loopback address, and the API asks nobody who they are.",
            remedy="Listen on 127.0.0.1 and put a server that asks for a login before it.",
        )
    farm = open_local_farm()
    served = build_api(farm.database, farm.catalog, farm.clock)
    with _listening(host, port) as listener:
        told = f"[{host}]" if listener.family is socket.AF_INET6 else host
        print(f"listening on http://{told}:{listener.getsockname()[1]}/api/docs", flush=True)
        config = uvicorn.Config(served, log_level="warning", access_log=False)
        uvicorn.Server(config).run(sockets=[listener])


def _listening(host: str, port: int) -> socket.socket:
    """A socket that takes connections. Raises Refused where the address is not to be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise Refused(
            f"{host}:{port} can't be listened on: {error.strerror}.",
            remedy="Choose another with --port; 0 takes any that is free.",
        ) from error
