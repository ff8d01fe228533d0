"""The workers' side of the gateway: a grant for each attempt, and what became of it."""

import time
from functools import cached_property
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

import httpx
from pydantic import ValidationError

from models.errors import Infrastructure, Refused
from models.schemas.model_call import Grant, GrantReport, GrantRequest
from models.settings import Settings
from models.verdicts import VoidCategory

UNIX = "unix://"
INSIDE = "http://gateway"
"""What a gateway behind a unix socket is called in requests."""
ASK_S = 20.0
CLOSE_S = 150.0
"""The gateway waits for replies that are still under way."""
RESTART_S, KNOCK_AGAIN_S = 30.0, 0.5
"""A gateway that is started anew is back by then; so often it is looked for."""
TOKEN_AT = ("gateway", "token")

Answer = TypeVar("Answer", Grant, GrantReport)


class GatewayAccess:
    """Asks one gateway. Shared by all stages of a process."""

    def __init__(self, address: str, token: str, token_file: Path | None = None) -> None:
        """`token`, or what `token_file` holds whenever it is needed."""
        self.address = address
        self._token = token
        self._token_file = token_file

    @property
    def base_url(self) -> str:
        """What paths of the gateway follow; for `http()` behind a unix socket."""
        return INSIDE if self.address.startswith(UNIX) else self.address

    @property
    def socket_path(self) -> str:
        """The gateway's unix socket; empty where it has a port."""
        is_unix = self.address.startswith(UNIX)
        return self.address.removeprefix(UNIX) if is_unix else ""

    @property
    def host_and_port(self) -> tuple[str, int]:
        """Where its port is; only where it has no socket."""
        parts = urlsplit(self.address)
        return parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)

    @property
    def is_secure(self) -> bool:
        """Whether its port speaks TLS."""
        return self.address.startswith("https://")

    def transport(self) -> httpx.HTTPTransport:
        """A new way to the gateway, whatever its address is."""
        socket = self.socket_path
        return httpx.HTTPTransport(uds=socket) if socket else httpx.HTTPTransport()

    def http(self) -> httpx.Client:
        """A client that speaks to the gateway; for one run, with the key of its grant."""
        # A reply may take long, and a gateway waits for providers in a run's place.
        patience = httpx.Timeout(None, connect=ASK_S)
        return httpx.Client(
            base_url=self.base_url, transport=self.transport(), timeout=patience, trust_env=False
        )

    def open(self, request: GrantRequest) -> Grant:
        """A key for one attempt.

        Raises Infrastructure: operator for a model that the gateway does not serve, and where it
        is at work for another farm; gateway where it does not answer.
        """
        # Where the answer got lost, and the key with it, the next grant takes that one's place.
        answer = self._ask("POST", "/grants", request.model_dump_json(), again_s=RESTART_S)
        if answer.status_code == 422:
            raise Infrastructure(
                VoidCategory.OPERATOR,
                f"{_told(answer)}.",
                remedy="Name a model that the gateway's file has, with a price.",
            )
        if answer.status_code == 403:
            raise Infrastructure(VoidCategory.OPERATOR, _told(answer))
        return _read(Grant, answer)

    def report(self, grant: Grant) -> GrantReport:
        """All that was asked so far. Raises Infrastructure(gateway)."""
        return _read(GrantReport, self._ask("GET", f"/grants/{grant.id}"))

    def waited_s(self, grant: Grant) -> float:
        """For how long no clock of the run went on, so far; a small answer, to be asked for often.

        Raises Infrastructure(gateway).
        """
        answer = self._ask("GET", f"/grants/{grant.id}/waited")
        if answer.status_code != 200 or not answer.text.isdecimal():
            raise _no_answer(f"answers {answer.status_code}: {_told(answer)}")
        return int(answer.text) / 1_000

    def close(self, grant: Grant) -> GrantReport:
        """End the grant, wait for what is under way, and tell all. May be said again.

        Raises Infrastructure(gateway).
        """
        path = f"/grants/{grant.id}/close"
        answer = self._ask("POST", path, patience=CLOSE_S, again_s=RESTART_S)
        return _read(GrantReport, answer)

    def close_connections(self) -> None:
        """Let go of what is open; another question opens it again."""
        client = self.__dict__.pop("_control", None)
        if isinstance(client, httpx.Client):
            client.close()

    def answers(self) -> bool:
        """Whether the gateway is there."""
        try:
            return self._ask("GET", "/healthz").status_code == 200
        except Infrastructure:
            return False

    def _ask(
        self,
        method: str,
        path: str,
        content: str = "",
        *,
        patience: float = ASK_S,
        again_s: float = 0.0,
    ) -> httpx.Response:
        """Ask; once more and again for `again_s` where nobody is there."""
        until = time.monotonic() + again_s
        while True:
            head = {"authorization": f"Bearer {self._secret()}"}
            try:
                return self._control.request(
                    method, path, content=content, headers=head, timeout=patience
                )
            except httpx.HTTPError as error:
                is_away = isinstance(error, httpx.NetworkError | httpx.RemoteProtocolError)
                if not is_away or time.monotonic() >= until:
                    told = f"does not answer at {self.address} ({type(error).__name__})"
                    raise _no_answer(told) from None
            time.sleep(KNOCK_AGAIN_S)

    @cached_property
    def _control(self) -> httpx.Client:
        return self.http()

    def _secret(self) -> str:
        if self._token or self._token_file is None:
            return self._token
        try:
            token = self._token_file.read_text(encoding="ascii").strip()
        except (OSError, ValueError):
            token = ""
        if not token:
            raise _no_answer(f"has left no token in {self._token_file}")
        return token


def gateway_access(settings: Settings) -> GatewayAccess | None:
    """The gateway that `settings` name; None for a farm without one."""
    if not settings.has_gateway:
        return None
    token = settings.gateway_token.get_secret_value()
    return GatewayAccess(settings.gateway_address, token, settings.home.joinpath(*TOKEN_AT))


def needed(access: GatewayAccess | None) -> GatewayAccess:
    """The gateway, for a system that needs one. Raises Infrastructure(gateway) where none is."""
    if access is None:
        raise Infrastructure(
            VoidCategory.GATEWAY,
            "this system asks a language model, and the farm has no gateway.",
            remedy="Write gateway.toml below GRADEFARM_HOME and start `gradefarm gateway`, or set "
            "GRADEFARM_GATEWAY_URL.",
        )
    return access


def _read(kind: type[Answer], answer: httpx.Response) -> Answer:
    if answer.status_code == 409:
        raise Refused(_told(answer))
    if answer.status_code != 200:
        raise _no_answer(f"answers {answer.status_code}: {_told(answer)}")
    try:
        return kind.model_validate_json(answer.content)
    except ValidationError:
        raise _no_answer("answers in words that this version does not know") from None


def _told(answer: httpx.Response) -> str:
    try:
        return str(answer.json()["error"]).replace("\n", " ")
    except (ValueError, KeyError, TypeError):
        return answer.text[:200]


def _no_answer(what: str) -> Infrastructure:
    return Infrastructure(
        VoidCategory.GATEWAY,
        f"the gateway {what}.",
        remedy="Start `gradefarm gateway`, and check GRADEFARM_GATEWAY_URL and "
        "GRADEFARM_GATEWAY_TOKEN.",
    )
