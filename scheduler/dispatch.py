"""Tops the queues up: a bounded window of messages, fair by repeat, then cell."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Protocol

from models.errors import FarmError
from models.messaging.messages import StageMessage
from models.schemas.run import Stage
from models.storage.dispatching import (
    Backlog,
    Candidate,
    backlogs,
    candidates,
    extend_slots,
    mark_queued,
    overdue_queues,
    queued_counts,
    unqueue_all,
    unqueue_overdue,
)
from models.storage.outbox import PendingMessage, forget_messages, pending_messages
from models.storage.transaction import Database

SEND_AT_ONCE = 500
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

    Leaves a queue alone that lacks less than an eighth of that.

    Grading goes first so that work drains, then campaigns of higher priority.
    """
    with database.read() as session:
        waiting = backlogs(session, now)
        if not waiting:
            return 0
        in_flight = queued_counts(session)
        rooms = {each.queue_pk: window - in_flight.get(each.queue_pk, 0) for each in waiting}
        least = max(1, window // BATCHES_IN_WINDOW)
        found = {
            each: candidates(session, each, now, rooms[each.queue_pk])
            for each in waiting
            if rooms[each.queue_pk] >= least
        }
    chosen = choose(found, rooms)
    if not any(chosen.values()):
        return 0
    with database.transaction() as session:
        return sum(mark_queued(session, stage, runs, now, slot_s) for stage, runs in chosen.items())


def choose(
    found: Mapping[Backlog, Sequence[Candidate]], rooms: Mapping[int, int]
) -> dict[Stage, list[Candidate]]:
    """Which runs to queue, given what waits and how much room each queue has.

    Within a queue: by priority of the campaign, then repeat, then cell.
    """
    by_queue: defaultdict[tuple[Stage, int], list[Backlog]] = defaultdict(list)
    for each in found:
        by_queue[each.stage, each.queue_pk].append(each)
    chosen: dict[Stage, list[Candidate]] = {Stage.GRADE: [], Stage.AGENT: []}
    for (stage, queue_pk), waiting in by_queue.items():
        chosen[stage] += _in_turn(waiting, found)[: max(0, rooms[queue_pk])]
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


def _in_turn(
    waiting: Iterable[Backlog], found: Mapping[Backlog, Sequence[Candidate]]
) -> list[Candidate]:
    ranked = sorted(waiting, key=lambda each: -each.priority)
    turn: list[Candidate] = []
    for _, peers in groupby(ranked, key=lambda each: each.priority):
        turn += sorted(candidate for each in peers for candidate in found[each])
    return turn
