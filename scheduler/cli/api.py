"""`gradefarm api`: the farm over HTTP."""

import contextlib
import socket
import ssl
from pathlib import Path
from typing import Annotated

import typer
import uvicorn
from fastapi import FastAPI

from models.errors import InputFault, InvalidInput, Refused
from models.event_log import begin_log
from models.migrations.upgrade import check_database
from models.storage.api_tokens import list_tokens
from scheduler.api.app import build_api
from scheduler.api.loopback import is_loopback
from scheduler.api.patient_protocol import PatientProtocol
from scheduler.cli.farm_access import open_local_farm
from scheduler.cli.stop_signals import StopRequested, stoppable
from scheduler.farm_access.local_farm import LocalFarm

app = typer.Typer(rich_markup_mode=None)

SHUTDOWN_S = 5
"""What requests in work get when the server is asked to stop; streams are ended then."""
MOST_CONNECTIONS = 1_000


@app.command()
def api(
    *,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="The port; 0: any.")] = 8600,
    require_token: Annotated[
        bool, typer.Option("--require-token", help="Also for reading on this machine.")
    ] = False,
    tls_cert: Annotated[
        Path | None, typer.Option(help="The certificate with its chain, PEM.")
    ] = None,
    tls_key: Annotated[Path | None, typer.Option(help="Its private key, PEM.")] = None,
    behind_proxy: Annotated[
        bool, typer.Option("--behind-proxy", help="A server before this one speaks TLS.")
    ] = False,
) -> None:
    """Answer over HTTP, in the foreground: /api/docs describes it all.

    On a loopback address anybody may read until there is a token (`gradefarm tokens create`). Every
    change needs a token, and so does everything on other addresses, which also need TLS.

    \b
      gradefarm api
      gradefarm api --host 0.0.0.0 --tls-cert farm.pem --tls-key farm.key
      gradefarm api --host 0.0.0.0 --behind-proxy
    """
    local = is_loopback(host)
    _refuse_bad_tls(tls_cert, tls_key)
    if not local and tls_cert is None and not behind_proxy:
        raise _in_the_clear(host)
    farm = open_local_farm()
    check_database(farm.database)
    if not local:
        _refuse_without_token(farm, host)
    begin_log("api", farm.settings.log)
    served = build_api(farm, open_reading=local and not behind_proxy and not require_token)
    with _listening(host, port) as listener:
        told = f"[{host}]" if listener.family is socket.AF_INET6 else host
        scheme = "https" if tls_cert else "http"
        print(f"listening on {scheme}://{told}:{listener.getsockname()[1]}/api/docs", flush=True)
        config = _configuration(served, tls_cert, tls_key, behind_proxy=behind_proxy)
        # The server ends in order, and then raises the signal that ended it once more.
        with contextlib.suppress(StopRequested), stoppable():
            uvicorn.Server(config).run(sockets=[listener])


def _configuration(
    served: FastAPI, cert: Path | None, key: Path | None, *, behind_proxy: bool
) -> uvicorn.Config:
    return uvicorn.Config(
        served,
        http=PatientProtocol,
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=behind_proxy,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=SHUTDOWN_S,
        ssl_certfile=cert,
        ssl_keyfile=key,
    )


def _in_the_clear(host: str) -> Refused:
    return Refused(
        f"{host} is no loopback address, and tokens would travel in the clear.",
        remedy="Give --tls-cert and --tls-key, or say --behind-proxy where a server before "
        "this one speaks TLS.",
    )


def _refuse_bad_tls(cert: Path | None, key: Path | None) -> None:
    """Raises InvalidInput where only one of them is given, or where they don't fit."""
    if cert is None and key is None:
        return
    if cert is None or key is None:
        lacking = "--tls-cert" if cert is None else "--tls-key"
        fault = InputFault(lacking, "missing", "a certificate and its key go together")
        raise InvalidInput("the command line", [fault])
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(cert, key)
    except OSError as error:
        remedy = "name PEM files that can be read and belong together"
        fault = InputFault("--tls-cert, --tls-key", str(error), remedy)
        raise InvalidInput("the command line", [fault]) from error


def _refuse_without_token(farm: LocalFarm, host: str) -> None:
    now = farm.clock.now()
    with farm.database.read() as session:
        good = any(token.is_good_at(now) for token in list_tokens(session))
    if not good:
        raise Refused(
            f"{host} is no loopback address, and this farm has no token that is good now.",
            remedy="Make one first: `gradefarm tokens create laptop --role schedule`.",
        )


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
