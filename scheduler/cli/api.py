"""`gradefarm api`: the farm over HTTP, on loopback."""

import ipaddress
from typing import Annotated

import typer
import uvicorn

from models.errors import Refused
from scheduler.api.app import build_api
from scheduler.cli.farm_access import open_farm

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
    if not ipaddress.ip_address(host).is_loopback:
        raise Refused(
            f"{host} is not a loopback address, and the API asks nobody who they are.",
            remedy="Listen on 127.0.0.1 and put a server that asks for a login before it.",
        )
    farm = open_farm()
    served = build_api(farm.database, farm.catalog, farm.clock)
    uvicorn.run(served, host=host, port=port, log_level="warning", access_log=False)
