"""Of the places for changes, and of what one server keeps for all of its requests."""

import asyncio

from fastapi import APIRouter
from starlette.background import BackgroundTask
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from models.clock import FixedClock
from models.schemas.api_token import NewToken, TokenRole
from models.settings import read_settings
from models.storage.api_tokens import create_token
from models.storage.transaction import Database
from scheduler.api.access import Access
from scheduler.api.access_gate import MOST_CHANGES, AccessGate
from scheduler.api.failed_logins import FailedLogins
from scheduler.api.farm_facts import probes_router
from scheduler.api.token_uses import TokenUses
from scheduler.farm_access.local_farm import LocalFarm
from tests.fakes.campaigns import NOW, write_campaign

CLOCK = FixedClock(NOW)


async def asked(gate: AccessGate, secret: str) -> int:
    """The status of a change, when the gate is done with it."""
    statuses: list[int] = []

    async def send(message: Message) -> None:
        statuses.extend([message["status"]] if "status" in message else [])

    async def receive() -> Message:
        return {"type": "http.request"}

    headers = [(b"authorization", f"Bearer {secret}".encode())]
    scope = {"type": "http", "method": "POST", "path": "/api/campaigns", "headers": headers}
    await gate(scope, receive, send)
    return statuses[0]


def test_a_change_holds_its_place_until_it_is_answered_and_no_longer(sqlite: Database) -> None:
    with sqlite.transaction() as session:
        wanted = NewToken(name="one", role=TokenRole.SCHEDULE)
        secret = create_token(session, wanted, NOW).secret
    access = Access(sqlite, CLOCK, TokenUses(sqlite), FailedLogins(), open_reading=False)

    async def rounds() -> tuple[int, int, list[int]]:
        answer, plan, answered = asyncio.Event(), asyncio.Event(), asyncio.Semaphore(0)

        async def later() -> None:
            answered.release()
            await plan.wait()

        async def change(scope: Scope, receive: Receive, send: Send) -> None:
            await answer.wait()
            told = JSONResponse({}, background=BackgroundTask(later))
            await told(scope, receive, send)

        gate = AccessGate(change, access)
        first = [asyncio.create_task(asked(gate, secret)) for _ in range(MOST_CHANGES)]
        while gate.changing < MOST_CHANGES:
            await asyncio.sleep(0.01)
        while_changing = await asked(gate, secret)
        answer.set()
        for _ in first:
            await answered.acquire()
        assert gate.changing == 0
        ninth = asyncio.create_task(asked(gate, secret))
        await answered.acquire()
        assert not any(one.done() for one in first)
        plan.set()
        return while_changing, await ninth, await asyncio.gather(*first)

    assert asyncio.run(rounds()) == (503, 200, [200] * MOST_CHANGES)


def figures_of(router: APIRouter) -> bytes:
    [route] = [one for one in router.routes if getattr(one, "path", "") == "/metrics"]
    assert isinstance(route, Route)
    return bytes(route.endpoint().body)


def test_scrapes_of_one_server_share_one_look_at_the_database(sqlite: Database) -> None:
    farm = LocalFarm(read_settings({}))
    clock = FixedClock(NOW)
    vars(farm).update(database=sqlite, clock=clock)
    router = probes_router(farm)
    before = figures_of(router)
    write_campaign(sqlite)
    assert figures_of(router) == before
    clock.advance(60)
    assert figures_of(router) != before
