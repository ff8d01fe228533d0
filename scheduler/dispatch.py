"""Tops the queues up: a bounded window of messages, fair by repeat, then cell, within limits."""

import logging
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from models.errors import FarmError
from models.event_log import event
from models.messaging.messages import StageMessage
from models.schemas.run import Stage
from models.storage.dispatching import (
    Backlog,
    Candidate,
    InFlight,
    backlogs,
    candidates,
    extend_slots,
    in_flight,
    mark_queued,
    overdue_queues,
    queued_counts,
    unqueue_all,
    unqueue_overdue,
)
from models.storage.outbox import PendingMessage, forget_messages, pending_messages
from models.storage.system_rooms import system_rooms
from models.storage.transaction import Database

log = logging.getLogger(__name__)

SEND_AT_ONCE = 500
SMALLEST_PAGE = 4
BATCHES_IN_WINDOW = 8
"""A queue that is nearly full is topped up by so many parts of its window at a time: its workers
have enough to do, and a transaction for eight runs costs little more than one for a single run."""


class MessageSender(Protocol):
    """Hands messages to the broker; raises a FarmError when the broker doesn't take them."""

    def send(self, messages: Sequence[StageMessage]) -> None: ...


class BrokerMemory(Protocol):
    """What the broker remembers: it forgets everything when it loses its data.

    `remembers` and `plant` ask for, and leave, a mark; `holds` counts the messages of a queue.
    Each raises a FarmError when the broker can't be asked.
    """

    def remembers(self, epoch: str) -> bool: ...

    def plant(self, epoch: str) -> None: ...

    def holds(self, queue: str) -> int: ...


def top_up(database: Database, now: float, *, window: int, slot_s: float) -> int:
    """Queue waiting runs until every queue has `window` messages in flight; returns how many.

    Leaves a queue alone that lacks less than an eighth of that. A system that is at its limit, or
    a campaign whose budget pays for no more, costs one look at each of its lanes and keeps nothing
    else back.

    Grading goes first so that work drains, then campaigns of higher priority.
    """
    chosen = choose_waiting(database, now, window)
    if not any(chosen.values()):
        return 0
    with database.transaction() as session:
        queued = sum(
            mark_queued(session, stage, runs, now, slot_s) for stage, runs in chosen.items()
        )
    for stage, runs in chosen.items():
        if runs:
            ids = [run.run_id for run in runs]
            log.info("queued", extra=event("queued", stage=stage, runs=ids))
    return queued


def choose_waiting(database: Database, now: float, window: int) -> dict[Stage, list[Candidate]]:
    """The runs that `top_up` queues, each of which may have been taken by then."""
    least = max(1, window // BATCHES_IN_WINDOW)
    with database.read() as session:
        moving = in_flight(session)
        counts = Counter({each.queue_pk: 0 for each in moving})
        for each in moving:
            counts[each.queue_pk] += each.messages
        full = [queue for queue, messages in counts.items() if window - messages < least]
        waiting = backlogs(session, now, full)
        if not waiting:
            return {}
        limited = {each.limited for each in waiting if each.limited is not None}
        rooms = Rooms(
            {each.queue_pk: window - counts[each.queue_pk] for each in waiting},
            system_rooms(session, limited, moving, now),
            time_rooms(waiting, moving),
            money_rooms(waiting, moving),
        )
        wanted = page_sizes(waiting, rooms)
        found = candidates(session, wanted, now)
    return choose(found, wanted, rooms)


@dataclass(frozen=True)
class Rooms:
    """How many runs may be queued: by queue, by id of limited systems, and by campaign where time
    is budgeted, and where money or tokens are."""

    queues: Mapping[int, int]
    systems: Mapping[str, int] = field(default_factory=dict[str, int])
    times: Mapping[int, int] = field(default_factory=dict[int, int])
    moneys: Mapping[int, int] = field(default_factory=dict[int, int])

    def keys_of(self, lane: Backlog) -> list[tuple[str, object]]:
        """Every room that a run of this lane takes a place of."""
        keys: list[tuple[str, object]] = [("queue", lane.queue_pk)]
        if lane.stage is Stage.AGENT:
            keys += [("system", lane.limited)] if lane.limited in self.systems else []
            keys += [("time", lane.campaign_pk)] if lane.in_time is not None else []
            keys += [("money", lane.campaign_pk)] if lane.in_money is not None else []
        return keys

    def left(self) -> dict[tuple[str, object], int]:
        """All rooms, to be taken from."""
        return {
            **{("queue", key): room for key, room in self.queues.items()},
            **{("system", key): room for key, room in self.systems.items()},
            **{("time", key): room for key, room in self.times.items()},
            **{("money", key): room for key, room in self.moneys.items()},
        }


def time_rooms(waiting: Sequence[Backlog], moving: Sequence[InFlight]) -> dict[int, int]:
    """How many more runs of each campaign with a budget of time may be queued: a message may begin
    any time."""
    queued = _queued_agents(moving)
    return {
        lane.campaign_pk: lane.in_time - queued[lane.campaign_pk]
        for lane in waiting
        if lane.in_time is not None
    }


def money_rooms(waiting: Sequence[Backlog], moving: Sequence[InFlight]) -> dict[int, int]:
    """The same for money and tokens, of which only systems that may spend take any."""
    queued = _queued_agents([each for each in moving if each.spends])
    return {
        lane.campaign_pk: lane.in_money - queued[lane.campaign_pk]
        for lane in waiting
        if lane.in_money is not None
    }


def _queued_agents(moving: Sequence[InFlight]) -> Counter[int]:
    """The messages of agent stages by campaign."""
    queued: Counter[int] = Counter()
    for each in moving:
        if each.stage is Stage.AGENT:
            queued[each.campaign_pk] += each.messages
    return queued


def page_sizes(waiting: Sequence[Backlog], rooms: Rooms) -> dict[Backlog, int]:
    """How many runs of each lane to look at: all that could be chosen of a single one, about
    twice its share of many."""
    lanes = Counter(lane.queue_pk for lane in waiting)
    left = rooms.left()
    sizes: dict[Backlog, int] = {}
    for lane in waiting:
        room = min(left[key] for key in rooms.keys_of(lane))
        share = max(SMALLEST_PAGE, -(-2 * rooms.queues[lane.queue_pk] // lanes[lane.queue_pk]))
        if room > 0:
            sizes[lane] = min(room, share)
    return sizes


def choose(
    found: Mapping[Backlog, Sequence[Candidate]], pages: Mapping[Backlog, int], rooms: Rooms
) -> dict[Stage, list[Candidate]]:
    """Which runs to queue, given what was found, in pages of which size, and what room there is.

    By priority of the campaign, then repeat, then cell. Where a page is used up and its lane may
    have more, nothing is chosen that could come after those: the next tick goes on from there.
    """
    left = rooms.left()
    chosen: dict[Stage, list[Candidate]] = {Stage.GRADE: [], Stage.AGENT: []}
    turns = sorted((-lane.priority, run, lane) for lane, runs in found.items() for run in runs)
    for _, run, lane in turns:
        keys = rooms.keys_of(lane)
        if min(left[key] for key in keys) <= 0:
            continue
        chosen[lane.stage].append(run)
        ends_page = len(found[lane]) == pages[lane] and run == found[lane][-1]
        for key in keys:
            left[key] -= 1
        if ends_page and min(left[key] for key in keys) > 0:
            left.update(dict.fromkeys(keys, 0))
    return chosen


@dataclass(frozen=True)
class Handover:
    """What became of messages: `sent` are with the broker, `taken_out` left the outbox.

    `refused` maps queues that the farm does not have to the reason. Their messages are dropped,
    so that they keep no others back; the runs wait again when their slot in the queue is over.
    """

    sent: int = 0
    taken_out: int = 0
    refused: Mapping[str, str] = field(default_factory=dict[str, str])


def send_pending(database: Database, sender: MessageSender) -> Handover:
    """Hand over the oldest of what the outbox holds.

    Raises a retryable error of `sender`; those messages stay for the next time.
    """
    with database.read() as session:
        pending = pending_messages(session, SEND_AT_ONCE)
    by_queue: defaultdict[str, list[PendingMessage]] = defaultdict(list)
    for each in pending:
        by_queue[each.message.queue].append(each)
    sent: list[int] = []
    dropped: list[int] = []
    refused: dict[str, str] = {}
    try:
        for queue, messages in by_queue.items():
            ids = [each.outbox_id for each in messages]
            try:
                sender.send([each.message for each in messages])
            except FarmError as error:
                if error.retryable:
                    raise
                refused[queue] = str(error)
                dropped += ids
            else:
                sent += ids
    finally:
        if sent or dropped:
            with database.transaction() as session:
                forget_messages(session, sent + dropped)
    return Handover(len(sent), len(sent) + len(dropped), refused)


def return_overdue(database: Database, memory: BrokerMemory, now: float, slot_s: float) -> int:
    """Put runs whose message had its time back to waiting; returns how many.

    Where the broker still holds as many messages as are in flight, none was lost: they only
    get more time, since a second message would do nothing but come after the first.
    """
    with database.read() as session:
        overdue = overdue_queues(session, now)
        in_flight = queued_counts(session) if overdue else {}
    returned = 0
    for queue_pk, name in overdue.items():
        all_there = memory.holds(name) >= in_flight.get(queue_pk, 0)
        with database.transaction() as session:
            if all_there:
                extend_slots(session, queue_pk, now, slot_s)
            else:
                returned += unqueue_overdue(session, queue_pk, now)
    return returned


def heal_broker_loss(database: Database, memory: BrokerMemory, epoch: str) -> int:
    """Where the broker lost its data, put every queued run back at once; returns how many."""
    if memory.remembers(epoch):
        return 0
    with database.transaction() as session:
        returned = unqueue_all(session)
    memory.plant(epoch)
    return returned
