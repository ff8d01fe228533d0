"""The address of a farm elsewhere, and whether a token may be sent there. Pure."""

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from models.errors import InputFault, InvalidInput, Refused

EXAMPLE = "give it as https://farm.example.org, or http://127.0.0.1:8600 on the same machine"


@dataclass(frozen=True)
class ServerAddress:
    """Where a farm answers: scheme, host and port, with a path before `/api` if a proxy adds one.

    `url` has no slash at its end.
    """

    url: str
    is_safe: bool
    """Whether nobody on the way can read along."""
    is_here: bool
    """Whether the way there stays on this machine."""


def parse_address(text: str) -> ServerAddress:
    """The address in `text`; `/api` and slashes at its end are left out. Raises InvalidInput."""
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        raise _no_address(text, "can't be read") from None
    if parts.scheme not in ("http", "https") or not host:
        raise _no_address(text, "is no http or https address")
    if parts.username is not None or parts.query or parts.fragment:
        raise _no_address(text, "holds more than an address")
    url = f"{parts.scheme}://{parts.netloc}{parts.path}".rstrip("/").removesuffix("/api")
    is_here = _is_loopback(host)
    return ServerAddress(url.rstrip("/"), parts.scheme == "https" or is_here, is_here)


def refuse_open_road(address: ServerAddress) -> None:
    """Raises Refused where a token would cross a network in the clear."""
    if not address.is_safe:
        raise Refused(
            f"a token sent to {address.url} can be read on the way.",
            remedy="Give an https address, or one of this machine that leads there, such as "
            "a tunnel's.",
        )


def _no_address(text: str, problem: str) -> InvalidInput:
    # Without what stands before an @: that may be a password.
    shown = text.rpartition("@")[2]
    return InvalidInput("--server", [InputFault("URL", f"{shown!r} {problem}", EXAMPLE)])


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
