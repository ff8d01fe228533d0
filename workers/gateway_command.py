"""`gradefarm gateway`: run the gateway to language models, in the foreground."""

import json
import logging
import signal
import socket
from pathlib import Path
from typing import Annotated

import typer
import uvicorn
from prometheus_client import CollectorRegistry

from models.clock import SystemClock
from models.errors import InputFault, InvalidInput, Refused
from models.event_log import begin_log, event
from models.metrics_server import serve_metrics
from models.settings import Settings, current_settings, gateway_socket
from workers.gateway_access import gateway_access
from workers.model_gateway.configuration import GatewayConfiguration
from workers.model_gateway.connection_watch import most_connections, watched_connection
from workers.model_gateway.gateway_file import read_gateway_file
from workers.model_gateway.gateway_opening import Recordings, open_gateway
from workers.model_gateway.gateway_server import build_gateway
from workers.model_gateway.price_table import day_of

_LOG = logging.getLogger(__name__)

app = typer.Typer(add_completion=False, rich_markup_mode=None)

SHUTDOWN_S = 10
RUNS = "yes, a gateway answers at this address"
RUNS_NOT = "no, nothing answers at this address: `gradefarm gateway` or `gradefarm up` starts one"
BACKLOG = 1_024


@app.command()
def gateway(
    *,
    host: Annotated[
        str, typer.Option(help="Listen there instead of on a socket below GRADEFARM_HOME.")
    ] = "",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="With --host; 0: any.")] = 8700,
    record: Annotated[
        Path | None, typer.Option(help="Write every answer into this folder.")
    ] = None,
    replay: Annotated[
        Path | None, typer.Option(help="Answer from such a folder: no provider is asked.")
    ] = None,
    metrics_port: Annotated[
        int | None, typer.Option(min=0, max=65_535, help="Serve metrics there; 0: any port.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Only say what the gateway's file holds.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="The check's answer as JSON.")] = False,
) -> None:
    """Run the gateway to language models, in the foreground.

    Agents reach language models through it alone. It holds the providers' keys, meters and limits
    every run, and waits where a provider is busy. Its file is GRADEFARM_HOME/gateway.toml.

    \b
      gradefarm gateway --check
      gradefarm gateway
      gradefarm gateway --record answers
      gradefarm gateway --replay answers
    """
    settings = current_settings()
    if check:
        _tell(settings, as_json=as_json)
        return
    if record is not None and replay is not None:
        fault = InputFault("--record, --replay", "are both given", "give one of them")
        raise InvalidInput("the command line", [fault])
    begin_log("gateway", settings.log)
    signal.signal(signal.SIGTERM, _end)
    _serve(settings, Recordings(replay, record), listener_of(settings, host, port), metrics_port)


def _serve(
    settings: Settings,
    recordings: Recordings,
    listener: socket.socket,
    metrics_port: int | None,
) -> None:
    registry = CollectorRegistry()
    with listener:
        opened = open_gateway(settings, recordings, SystemClock(), registry)
        chosen = settings.metrics_port if metrics_port is None else metrics_port
        if chosen is not None:
            port = serve_metrics(registry, settings.metrics_address, chosen)
            place = event("metrics_served", address=settings.metrics_address, port=port)
            _LOG.info("", extra=place)
        print(f"the gateway listens on {_name_of(listener)}", flush=True)
        config = uvicorn.Config(
            build_gateway(opened),
            http=watched_connection(most_connections()),
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=SHUTDOWN_S,
        )
        uvicorn.Server(config).run(sockets=[listener])


def _end(_number: int, _frame: object) -> None:
    """The server hands the signal on when it is done."""
    raise SystemExit(0)


def listener_of(settings: Settings, host: str, port: int) -> socket.socket:
    """A socket that takes connections. Raises Refused where the address is not to be had."""
    if host:
        try:
            return _tcp_listener(host, port)
        except OSError as error:
            raise Refused(
                f"{host}:{port} can't be listened on: {error.strerror}.",
                remedy="Choose another with --port; 0 takes any that is free.",
            ) from error
    path = gateway_socket(settings.home)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    refuse_second(path)
    path.unlink(missing_ok=True)
    made = socket.socket(socket.AF_UNIX)
    made.bind(str(path))
    path.chmod(0o600)
    made.listen(BACKLOG)
    return made


def _tcp_listener(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named, else the event loop leaves Nagle's algorithm on, and each answer waits for 40 ms.
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(BACKLOG)
    except OSError:
        made.close()
        raise
    return made


def refuse_second(path: Path) -> None:
    """Raises Refused where a gateway listens on the socket `path` already."""
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except OSError:
            return
    raise Refused(
        f"a gateway listens on {path} already.",
        remedy="End that one first, or give this farm another GRADEFARM_HOME.",
    )


def _name_of(listener: socket.socket) -> str:
    if listener.family == socket.AF_UNIX:
        return f"unix://{listener.getsockname()}"
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _tell(settings: Settings, *, as_json: bool) -> None:
    file = read_gateway_file(settings.gateway_config)
    access = gateway_access(settings)
    answers = access is not None and access.answers()
    models, prices = _models(file.configuration), file.configuration.price_table.digest
    if as_json:
        told = {"file": str(settings.gateway_config), "address": settings.gateway_address}
        told |= {"answers": answers, "models": models, "price_table": prices}
        print(json.dumps({**told, "warnings": file.warnings}))
        return
    print(f"file         {settings.gateway_config}")
    print(f"address      {settings.gateway_address}")
    print(f"running      {RUNS if answers else RUNS_NOT}")
    print(f"price table  {prices}")
    for name, what in models.items():
        print(f"model        {name}: {what}")
    for warning in file.warnings:
        print(f"warning      {warning}")


def _models(configuration: GatewayConfiguration) -> dict[str, str]:
    today = day_of(SystemClock().now())
    prices = configuration.price_table
    return {
        name: model.provider if prices.at(name, today) else f"{model.provider}, NO PRICE: refused"
        for name, model in configuration.models.items()
    }
