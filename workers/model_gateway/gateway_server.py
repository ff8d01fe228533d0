"""The gateway over HTTP: grants for workers, models for runs."""

import asyncio
import hmac
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from models.errors import FarmError, InvalidInput
from models.schemas.model_call import GrantRequest, Wire
from workers.model_gateway.account import GrantAccount
from workers.model_gateway.call_desk import Call, CallDesk, CallRefused
from workers.model_gateway.call_room import MOST_CALLS, CallRoom, Holding, TooManyCalls
from workers.model_gateway.error_format import error_bytes, model_list
from workers.model_gateway.grant_book import GrantBook, OtherFarm
from workers.model_gateway.reply_line import EVENTS, JSON, ReplyHead, ReplyLine
from workers.model_gateway.tallies import GatewayTallies
from workers.model_gateway.token_counting import TokenCounting
from workers.model_gateway.upstream import Upstream

MOST_BODY = 8 * 2**20
"""More than the longest conversation that any model reads."""
BODY_S = 60.0
"""So long may a request take to come in."""
SETTLING_S = 90.0
"""A grant that is closed waits so long for replies which nobody listens to any more."""


BAD_KEY = "the key is not one of a run that is at work"
TOO_LONG = f"a request may have {MOST_BODY} bytes"
NOT_THE_FARM = "this is for the farm's workers: their token is needed"


@dataclass(frozen=True, slots=True)
class Gateway:
    """The open parts of a gateway. `token` is the farm's."""

    grants: GrantBook
    desk: CallDesk
    counting: TokenCounting
    room: CallRoom
    tallies: GatewayTallies
    token: str
    upstream: Upstream


Endpoint = Callable[[Gateway, Request], Awaitable[Response]]


def build_gateway(gateway: Gateway) -> Starlette:
    """The application."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncGenerator[None]:
        yield
        await _give_up_calls(gateway)
        await gateway.upstream.close()

    def served(path: str, method: str, answer: Endpoint) -> Route:
        async def endpoint(request: Request) -> Response:
            return await answer(gateway, request)

        return Route(path, endpoint, methods=[method])

    return Starlette(
        routes=[
            served("/healthz", "GET", _healthz),
            served("/grants", "POST", _open_grant),
            served("/grants/{grant}", "GET", _tell_grant),
            served("/grants/{grant}/waited", "GET", _tell_waiting),
            served("/grants/{grant}/close", "POST", _close_grant),
            served("/openai/v1/chat/completions", "POST", partial(_ask, "openai-chat")),
            served("/openai/v1/responses", "POST", partial(_ask, "openai-responses")),
            served("/openai/v1/models", "GET", partial(_models, "openai-chat")),
            served("/anthropic/v1/messages", "POST", partial(_ask, "anthropic")),
            served("/anthropic/v1/messages/count_tokens", "POST", _count),
            served("/anthropic/v1/models", "GET", partial(_models, "anthropic")),
        ],
        lifespan=lifespan,
    )


async def _healthz(gateway: Gateway, request: Request) -> Response:
    del gateway, request
    return JSONResponse({"ok": True})


async def _open_grant(gateway: Gateway, request: Request) -> Response:
    if not _is_farm(gateway, request):
        return _told(401, NOT_THE_FARM)
    try:
        grant = gateway.grants.open(GrantRequest.model_validate_json(await request.body()))
    except (InvalidInput, ValueError) as error:
        return _told(422, str(error))
    except OtherFarm as error:
        return _told(403, str(error))
    except FarmError as error:
        return _told(409, str(error))
    except OSError as error:
        return _told(507, f"the journal can't be written: {error.strerror}")
    _count_open(gateway)
    return JSONResponse(grant.model_dump())


async def _tell_grant(gateway: Gateway, request: Request) -> Response:
    account = _farms_account(gateway, request)
    return account if isinstance(account, Response) else _report(account)


async def _tell_waiting(gateway: Gateway, request: Request) -> Response:
    account = _farms_account(gateway, request)
    return account if isinstance(account, Response) else JSONResponse(account.waited_ms)


async def _close_grant(gateway: Gateway, request: Request) -> Response:
    account = _farms_account(gateway, request)
    if isinstance(account, Response):
        return account
    was_closed = account.closed
    await close(account)
    if account.fault is not None and not was_closed:
        gateway.tallies.note_fault(account.fault.category)
    _count_open(gateway)
    return _report(account)


async def _models(wire: Wire, gateway: Gateway, request: Request) -> Response:
    account = gateway.grants.of_key(_key(request))
    if account is None:
        return _bad_key(wire)
    return JSONResponse(model_list(wire, account.request.models))


async def close(account: GrantAccount) -> None:
    """Let no call begin, and wait until all are settled."""
    account.close()
    if account.tasks:
        _, late = await asyncio.wait(account.tasks, timeout=SETTLING_S)
        for task in late:
            task.cancel()
    # What they left to be kept.
    while account.tasks:
        await asyncio.wait(account.tasks)


async def _give_up_calls(gateway: Gateway) -> None:
    """A gateway that ends settles what is under way, and voids the runs that still wait for it."""
    tasks = {task for account in gateway.grants.accounts() for task in account.tasks}
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks)


async def _ask(wire: Wire, gateway: Gateway, request: Request) -> Response:
    try:
        account, call, holding = await _receive(wire, gateway, request)
    except CallRefused as refusal:
        return _error(wire, refusal.status, refusal.message)
    line = await gateway.desk.take(account, call, holding)
    head = await _head(line, request)
    if head.body is None:
        return StreamingResponse(line.parts(), head.status, media_type=EVENTS)
    return Response(head.body, head.status, media_type=JSON)


async def _head(line: ReplyLine, request: Request) -> ReplyHead:
    """How the reply begins; a client that leaves before is told of to the line."""
    left = asyncio.ensure_future(request.receive())
    left.add_done_callback(lambda left: None if left.cancelled() else line.leave())
    try:
        return await line.head()
    finally:
        left.cancel()


async def _count(gateway: Gateway, request: Request) -> Response:
    try:
        account, call, holding = await _receive("anthropic", gateway, request)
        try:
            counted = await gateway.counting.count(account, call)
        finally:
            holding.end()
    except CallRefused as refusal:
        return _error("anthropic", refusal.status, refusal.message)
    return JSONResponse(counted)


async def _receive(
    wire: Wire, gateway: Gateway, request: Request
) -> tuple[GrantAccount, Call, Holding]:
    """A call of a run, once there is room for it. Raises CallRefused."""
    account = gateway.grants.of_key(_key(request))
    if account is None:
        raise CallRefused(401, "key", BAD_KEY)
    size = _announced(request)
    if size > MOST_BODY:
        raise CallRefused(413, "body", TOO_LONG)
    try:
        holding = await gateway.room.take(account, size)
    except TooManyCalls:
        message = f"a run may have {MOST_CALLS} calls at once"
        raise CallRefused(429, "calls", message) from None
    try:
        body = await _body(request)
        holding.is_here(len(body))
        return account, Call(wire, body, request.headers), holding
    except BaseException:
        holding.end()
        raise


def _announced(request: Request) -> int:
    """How many bytes will come: the most, where nothing tells. Chunks go on past what a length
    beside them says."""
    if "transfer-encoding" in request.headers:
        return MOST_BODY
    return int(request.headers.get("content-length", MOST_BODY))


async def _body(request: Request) -> bytes:
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(BODY_S):
            async for part in request.stream():
                size += len(part)
                if size > MOST_BODY:
                    raise CallRefused(413, "body", TOO_LONG)
                parts.append(part)
    except TimeoutError:
        raise CallRefused(408, "body", f"a request may take {BODY_S:.0f} s") from None
    except ClientDisconnect:
        raise CallRefused(400, "body", "the client left") from None
    return b"".join(parts)


def _key(request: Request) -> str:
    return request.headers.get("x-api-key") or _bearer(request)


def _bearer(request: Request) -> str:
    kind, _, value = request.headers.get("authorization", "").partition(" ")
    return value.strip() if kind.lower() == "bearer" else ""


def _is_farm(gateway: Gateway, request: Request) -> bool:
    is_same = hmac.compare_digest(_bearer(request).encode(), gateway.token.encode())
    return is_same and gateway.token != ""


def _farms_account(gateway: Gateway, request: Request) -> GrantAccount | Response:
    if not _is_farm(gateway, request):
        return _told(401, NOT_THE_FARM)
    grant = str(request.path_params["grant"])
    account = gateway.grants.account(grant)
    return _told(404, f"there is no grant {grant}") if account is None else account


def _report(account: GrantAccount) -> Response:
    return Response(account.report().model_dump_json(), media_type=JSON)


def _count_open(gateway: Gateway) -> None:
    gateway.tallies.grants.set(sum(not one.closed for one in gateway.grants.accounts()))


def _bad_key(wire: Wire) -> Response:
    return _error(wire, 401, BAD_KEY)


def _error(wire: Wire, status: int, message: str) -> Response:
    return Response(error_bytes(wire, status, message), status, media_type=JSON)


def _told(status: int, message: str) -> Response:
    return Response(json.dumps({"error": message}), status, media_type=JSON)
