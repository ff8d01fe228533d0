"""What one run may take of a gateway: memory, turns at heavy work, artifacts of refused calls."""

import asyncio
import threading
from pathlib import Path

import pytest

from models.clock import FixedClock
from models.identifiers import Digest
from models.schemas.model_call import GrantRequest
from models.storage.artifacts import FolderArtifacts
from models.verdicts import VoidCategory
from workers.model_gateway.account import GrantAccount, GrantOpening
from workers.model_gateway.call_room import (
    COMING_OF_RUN,
    MOST_CALLS,
    SMALL,
    CallRoom,
    TooManyCalls,
)
from workers.model_gateway.heavy_work import HEAVY, HeavyWork
from workers.model_gateway.kept_bodies import MOST_UNPAID_BYTES, KeptBodies
from workers.model_gateway.provider_limits import MINUTE_S, ProviderLimits
from workers.model_gateway.secrets_filter import SecretsFilter

MIB = 2**20


def account(name: str) -> GrantAccount:
    request = GrantRequest(run_id=1, token=1, models=("m",))
    opening = GrantOpening(name, request, "", 0.0)
    return GrantAccount(opening, "", FixedClock(), lambda _grant, _entry: None)


async def settled() -> None:
    """Let all go on that can."""
    for _ in range(20):
        await asyncio.sleep(0)


def is_empty(room: CallRoom) -> bool:
    return not (room._all or room._shares or room._lines)


def test_one_run_can_take_no_more_room_than_is_its_own() -> None:
    async def play() -> None:
        room = CallRoom(of_run=4 * MIB, of_all=7 * MIB)
        greedy, other, third = account("a"), account("b"), account("c")
        first = [await room.take(greedy, 2 * MIB) for _ in range(2)]
        late = asyncio.create_task(room.take(greedy, SMALL))
        await settled()
        assert not late.done()
        assert not greedy.waiting._open, "its own calls are in its way"
        theirs = await room.take(other, 2 * MIB)
        big = asyncio.create_task(room.take(third, 2 * MIB))
        small = await room.take(third, SMALL)
        await settled()
        assert not big.done()
        assert third.waiting._open, "others are in its way"
        theirs.end()
        (await big).end()
        first[0].end()
        first[0].end()
        (await late).end()
        for one in (first[1], small):
            one.end()
        (await room.take(greedy, 5 * MIB)).end()
        assert is_empty(room)

    asyncio.run(play())


def test_what_a_run_has_announced_and_not_sent_is_bounded_and_what_came_is_known() -> None:
    async def play() -> None:
        room, slow = CallRoom(), account("a")
        first = await room.take(slow, COMING_OF_RUN)
        second = asyncio.create_task(room.take(slow, SMALL + 1))
        small = await room.take(slow, SMALL)
        await settled()
        assert not second.done()
        assert not slow.waiting._open, "its own calls are in its way"
        first.is_here(100)
        assert room._all == 100 + SMALL + SMALL + 1
        for one in (first, small, await second):
            one.end()
        assert is_empty(room)

    asyncio.run(play())


def test_runs_come_to_room_in_turns_and_nobody_overtakes_who_waits_for_others() -> None:
    async def play() -> list[str]:
        room = CallRoom(of_all=8 * MIB)
        held = await room.take(account("first"), 8 * MIB)
        runs = {name: account(name) for name in "abc"}
        came: list[str] = []

        async def call(name: str, size: int) -> None:
            holding = await room.take(runs[name], size)
            holding.is_here(size)
            came.append(name)
            await asyncio.sleep(0)
            holding.end()

        asked = [("a", 5 * MIB), ("a", 5 * MIB), ("a", 5 * MIB), ("b", 5 * MIB), ("c", 4 * MIB)]
        calls = [asyncio.create_task(call(*one)) for one in asked]
        await settled()
        assert came == []
        gone = asyncio.create_task(room.take(account("gone"), 8 * MIB))
        await settled()
        gone.cancel()
        held.end()
        await asyncio.gather(*calls)
        assert is_empty(room)
        return came

    assert asyncio.run(play()) == ["a", "b", "c", "a", "a"]


def test_a_run_has_so_many_calls_at_once_and_who_gives_up_waiting_leaves_nothing() -> None:
    async def play() -> None:
        room = CallRoom(of_run=MOST_CALLS)
        run = account("a")
        held = [await room.take(run, 1) for _ in range(MOST_CALLS - 1)]
        waiting = asyncio.create_task(room.take(run, 2))
        await settled()
        with pytest.raises(TooManyCalls):
            await room.take(run, 1)
        (await room.take(account("b"), 1)).end()
        waiting.cancel()
        await settled()
        (await room.take(run, 1)).end()
        for one in held:
            one.end()
        assert is_empty(room)

    asyncio.run(play())


def test_heavy_requests_of_one_run_keep_no_other_waiting() -> None:
    done: list[str] = []
    begun, go_on = threading.Event(), threading.Event()

    def work(name: str) -> str:
        begun.set()
        assert go_on.wait(60)
        done.append(name)
        return name

    async def play() -> None:
        heavy, greedy, other = HeavyWork(), account("a"), account("b")
        tasks = [
            asyncio.create_task(heavy.do(run, HEAVY + 1, lambda name=name: work(name)))
            for run, name in ((greedy, "1"), (greedy, "2"), (greedy, "3"), (other, "other"))
        ]
        await settled()
        await asyncio.to_thread(begun.wait, 60)
        # The loop is free meanwhile, and small requests wait for nothing.
        assert await heavy.do(other, HEAVY, lambda: "small") == "small"
        assert not done
        go_on.set()
        assert await asyncio.gather(*tasks) == ["1", "2", "3", "other"]
        assert done.index("other") == 1

    asyncio.run(play())


def test_who_waits_for_the_heavy_work_of_others_has_no_time_for_it() -> None:
    go_on = threading.Event()

    async def play() -> None:
        heavy, first, other = HeavyWork(), account("a"), account("b")
        tasks = [
            asyncio.create_task(heavy.do(run, HEAVY + 1, lambda: go_on.wait(60)))
            for run in (first, first, other)
        ]
        await settled()
        assert not first.waiting._open, "its own work is in its way"
        assert len(other.waiting._open) == 1
        go_on.set()
        assert all(await asyncio.gather(*tasks))
        assert not other.waiting._open

    asyncio.run(play())


class SlowArtifacts(FolderArtifacts):
    """A store that takes nothing in before `go_on`."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.go_on = threading.Event()

    def put(self, data: bytes) -> Digest:
        assert self.go_on.wait(60)
        return super().put(data)


def test_a_slow_store_keeps_no_heavy_work_waiting_and_fills_no_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.model_gateway.kept_bodies.MOST_WAITING", 100)
    store = SlowArtifacts(tmp_path)

    async def play() -> None:
        bodies, heavy = KeptBodies(store, SecretsFilter()), HeavyWork()
        busy, late = account("a"), account("b")
        assert all(bodies.keep(busy, bytes([n])) for n in range(100))
        async with asyncio.timeout(30):
            assert await heavy.do(late, HEAVY + 1, lambda: "done") == "done"
        assert bodies.keep(late, b"too much") == ""
        assert late.fault is not None
        assert late.fault.category is VoidCategory.GATEWAY
        store.go_on.set()
        await asyncio.wait(busy.tasks)
        assert busy.fault is None
        assert bodies.keep(busy, b"fits again")
        await asyncio.wait(busy.tasks)

    try:
        asyncio.run(play())
    finally:
        store.go_on.set()


def test_what_costs_a_run_nothing_is_kept_up_to_a_bound(tmp_path: Path) -> None:
    async def play() -> list[str]:
        bodies = KeptBodies(FolderArtifacts(tmp_path), SecretsFilter([]))
        run = account("a")
        kept = [bodies.keep(run, bytes([n]) * MIB, paid=False) for n in range(20)]
        kept.append(bodies.keep(run, b"paid" * MIB))
        assert bodies.keep(run, b"") == ""
        while run.tasks:
            await asyncio.wait(run.tasks)
        return kept

    kept = asyncio.run(play())
    assert [bool(digest) for digest in kept] == [n < 4 or n == 20 for n in range(21)]
    sizes = [path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()]
    assert sum(sizes) <= MOST_UNPAID_BYTES + 4 * MIB


def test_a_question_of_the_gateways_own_counts_among_the_starts_of_a_minute() -> None:
    async def play() -> None:
        clock = FixedClock()
        limits = ProviderLimits(None, 2, clock)

        async def take() -> None:
            async with limits.turn("b"):
                pass

        async with limits.turn("a"):
            limits.count_start("a")
            late = asyncio.create_task(take())
            await settled()
            assert not late.done()
        clock.advance(MINUTE_S)
        await take()
        await late

    asyncio.run(play())
