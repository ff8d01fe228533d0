"""Keeps the API to callers that mean this machine."""

import ipaddress
from urllib.parse import urlsplit

from fastapi import Request

from models.errors import Refused


def is_loopback(host: str) -> bool:
    """Whether `host` is an address of this machine alone."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def refuse_foreign_name(request: Request) -> None:
    """Raises Refused where the server is asked for by a name that isn't `localhost` or a loopback
    address.

    A page that has its own name lead here could otherwise read the answers in a browser.
    """
    asked = request.headers.get("host", "")
    try:
        name = urlsplit(f"//{asked}").hostname or ""
    except ValueError:
        name = ""
    if name != "localhost" and not is_loopback(name):
        raise Refused(
            f"this server does not answer to the name {asked!r}.",
            remedy="Ask for 127.0.0.1 or localhost; a server before it has to do so too.",
        )
