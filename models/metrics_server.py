"""Serves the metrics of one process over HTTP, in a thread of its own."""

import os

from prometheus_client import CollectorRegistry, start_http_server

from models.errors import Refused


def serve_metrics(registry: CollectorRegistry, address: str, port: int) -> int:
    """Answer GET /metrics on `address` from now on; returns the port, which for 0 is any.

    A child that is forked later lets go of the port. Raises Refused where it is not to be had.
    """
    try:
        server, _ = start_http_server(port, addr=address, registry=registry)
    except OSError as error:
        raise Refused(
            f"{address}:{port} can't be listened on for metrics: {error.strerror}.",
            remedy="Choose another with --metrics-port or GRADEFARM_METRICS_PORT; 0 takes any.",
        ) from error
    os.register_at_fork(after_in_child=server.socket.close)
    return int(server.server_port)
