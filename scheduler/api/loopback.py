"""Keeps an API that asks nobody who they are to callers that mean this machine."""

import ipaddress
from urllib.parse import urlsplit

from scheduler.api.access_errors import ForeignName


def is_loopback(host: str) -> bool:
    """Whether `host` is an address of this machine alone."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def refuse_foreign_name(asked: str) -> None:
    """Raises ForeignName where the server is asked for by a name that isn't `localhost` or a
    loopback address; `asked` is the Host header.

    A page that has its own name lead here could otherwise read the answers in a browser. A request
    with a token needs no such care: no page knows it, and no browser adds it by itself.
    """
    try:
        name = urlsplit(f"//{asked}").hostname or ""
    except ValueError:
        name = ""
    if name != "localhost" and not is_loopback(name):
        raise ForeignName(
            f"this server does not answer to the name {asked!r}.",
            remedy="Ask for 127.0.0.1 or localhost, or with a token.",
        )
