"""Requests to a farm elsewhere: timeouts, retries where they can do no harm, errors as its own."""

import random
import ssl
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from importlib.metadata import version
from typing import TypeVar

import httpx
from pydantic import TypeAdapter, ValidationError

from models.errors import FarmError, Infrastructure, InputFault, InvalidInput, Refused
from models.schemas.api_protocol import API_PROTOCOL
from models.schemas.base import Schema
from scheduler.remote_farm.problems import error_of
from scheduler.remote_farm.server_address import ServerAddress, refuse_open_road

TRIES = 6
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.2, 4.0
TIMEOUT = httpx.Timeout(600.0, connect=10.0, pool=10.0)
"""Of one answer: a board of a million runs takes its time."""
PASSING = frozenset({502, 503, 504})
"""Statuses of a server, or of what stands before it, that may do well a moment later."""
NO_PROXY: Mapping[str, None] = {"all://": None, "http://": None, "https://": None}
"""Of a way that stays on this machine: a proxy would read the token, and lead elsewhere."""
NOT_THERE = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.FORBIDDEN})

Answer = TypeVar("Answer")
Params = Mapping[str, str | int | bool | Sequence[str] | None]


class FarmFacts(Schema, extra="ignore"):
    """What a client has to know of a server before it asks anything else."""

    version: str
    protocol: int


@dataclass(frozen=True)
class Request:
    """One request below `/api`. Parameters that are None are left out.

    `key`: the server carries out only one of all requests with the same key.
    """

    method: str
    path: str
    params: Params | None = None
    body: object = None
    key: str = ""

    @property
    def may_repeat(self) -> bool:
        """Whether it does no harm when it is carried out twice."""
        return self.method in ("GET", "PUT") or bool(self.key)


class Connection:
    """A server that is asked, and greeted before the first question."""

    def __init__(self, address: ServerAddress, token: str) -> None:
        """Raises Refused where the token would cross a network in the clear, InvalidInput."""
        headers = {"User-Agent": f"gradefarm/{version('gradefarm')}"}
        if token:
            refuse_open_road(address)
            headers["Authorization"] = f"Bearer {token}"
        self.address = address
        with self._told():
            self._client = httpx.Client(
                base_url=f"{address.url}/api/",
                headers=headers,
                timeout=TIMEOUT,
                mounts=NO_PROXY if address.is_here else None,
            )
        self._greeted = False

    def ask(self, request: Request, shape: type[Answer]) -> Answer:
        """The answer to a request, as `shape`. Raises what the server raised, or Infrastructure."""
        found = self.ask_bytes(request)
        try:
            return TypeAdapter(shape).validate_json(found)
        except ValidationError as error:
            raise self._unreadable(request.path) from error

    def ask_bytes(self, request: Request) -> bytes:
        """The bytes that answer a request. Raises as `ask`."""
        if not self._greeted:
            self._greet()
        return self._answered(request).content

    @contextmanager
    def stream(self, path: str, headers: Mapping[str, str]) -> Generator[httpx.Response]:
        """An answer that comes bit by bit. Raises as `ask`, but tries only once."""
        limits = httpx.Timeout(10.0, read=45.0)
        with (
            self._told(),
            self._client.stream("GET", path, headers=headers, timeout=limits) as answer,
        ):
            if answer.status_code >= httpx.codes.BAD_REQUEST:
                raise error_of(answer.status_code, answer.read())
            yield answer

    def _greet(self) -> None:
        """Find out whether a farm answers there, in words that this client knows."""
        answer = self._answered(Request("GET", "farm"), is_greeting=True)
        try:
            facts = FarmFacts.model_validate_json(answer.content)
        except ValidationError:
            raise self._no_farm(answer) from None
        if facts.protocol != API_PROTOCOL:
            raise Refused(
                f"{self.address.url} is gradefarm {facts.version} with protocol {facts.protocol}; "
                f"this is gradefarm {version('gradefarm')} with protocol {API_PROTOCOL}.",
                remedy=f"Install gradefarm {facts.version} here.",
            )
        self._greeted = True

    def _answered(self, request: Request, *, is_greeting: bool = False) -> httpx.Response:
        """An answer that is not an error, tried again where that is due."""
        tries = TRIES if request.may_repeat else 1
        for pause_s in (*pauses(tries - 1), None):
            try:
                answer = self._sent(request)
            except Infrastructure:
                if pause_s is None:
                    raise
            else:
                if answer.status_code not in PASSING or pause_s is None:
                    return self._good(answer, is_greeting=is_greeting)
            time.sleep(pause_s)
        raise AssertionError("the last try ends in an answer or an error")

    def _sent(self, request: Request) -> httpx.Response:
        headers = {"Idempotency-Key": request.key} if request.key else {}
        with self._told():
            return self._client.request(
                request.method,
                request.path,
                params=_without_none(request.params or {}),
                json=request.body,
                headers=headers,
            )

    def _good(self, answer: httpx.Response, *, is_greeting: bool) -> httpx.Response:
        """Raises what the answer tells of where it is an error."""
        if answer.is_redirect:
            raise self._elsewhere(answer)
        if answer.is_success:
            return answer
        is_problem = "problem+json" in answer.headers.get("content-type", "")
        # Every token may greet a farm: one that may not asked for some other path of a server.
        is_told = is_problem and answer.status_code not in NOT_THERE
        if is_greeting and not is_told and answer.status_code not in PASSING:
            raise self._no_farm(answer)
        raise error_of(answer.status_code, answer.content)

    @contextmanager
    def _told(self) -> Generator[None]:
        """Errors of the way there as Infrastructure; as Refused where nobody should go on."""
        try:
            yield
        except httpx.InvalidURL as error:
            fault = InputFault("URL", f"can't be asked: {error}", "mend the address or the name")
            raise InvalidInput("--server", [fault]) from error
        except httpx.DecodingError as error:
            raise Infrastructure(
                "farm",
                f"what {self.address.url} answers can't be unpacked: {error}.",
                remedy="Look at what stands between here and there, such as a proxy.",
            ) from error
        except httpx.RequestError as error:
            raise self._unreachable(error) from error

    def _unreachable(self, error: httpx.RequestError) -> FarmError:
        reason = str(error) or type(error).__name__
        if _is_about_certificate(error):
            return Refused(
                f"the certificate of {self.address.url} is not to be trusted: {reason}.",
                remedy="If the farm has a certificate authority of its own, let SSL_CERT_FILE "
                "name its certificate.",
            )
        return Infrastructure(
            "farm",
            f"{self.address.url} does not answer: {reason}.",
            remedy="Look whether `gradefarm api` runs there, and whether the address is right.",
        )

    def _elsewhere(self, answer: httpx.Response) -> InvalidInput:
        target = answer.headers.get("location", "nowhere")
        fault = InputFault("URL", f"{self.address.url} sends on to {target}", "give that address")
        return InvalidInput("--server", [fault])

    def _no_farm(self, answer: httpx.Response) -> InvalidInput:
        kind = answer.headers.get("content-type", "no content type").partition(";")[0]
        problem = (
            f"{self.address.url} answers, but not as a gradefarm "
            f"(status {answer.status_code}, {kind})"
        )
        remedy = "give the address of a `gradefarm api`"
        return InvalidInput("--server", [InputFault("URL", problem, remedy)])

    def _unreadable(self, path: str) -> Refused:
        return Refused(
            f"what {self.address.url} answers to {path} is not what this gradefarm "
            f"({version('gradefarm')}) knows.",
            remedy="Install the version of the server: `curl …/api/farm` tells it.",
        )


def pauses(count: int) -> tuple[float, ...]:
    """Seconds to wait between tries: longer and longer, and not the same for every client."""
    steps = (min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2**number) for number in range(count))
    return tuple(step * random.uniform(0.7, 1.3) for step in steps)


def _without_none(params: Params) -> dict[str, str | int | bool | Sequence[str]]:
    return {name: value for name, value in params.items() if value is not None}


def _is_about_certificate(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return True
        error = error.__cause__ or error.__context__
    return False
