"""Finds the events that decide in a record: each as often, in the order and from the side that the
rules demand."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import TypeVar

from pydantic import ValidationError

from models.canonical import canonical_bytes
from models.records.refusal import Reason, RecordRefused, first_fault
from models.schemas.record_bodies import (
    Body,
    Built,
    Checked,
    Judged,
    Leased,
    LimitReached,
    RunClosed,
    RunOpened,
    StageClosed,
)
from models.schemas.record_event import EventType, RecordEvent

DEMANDED: dict[str, tuple[EventType, ...]] = {
    "recorder": (EventType.RUN_OPEN, EventType.LEASE, EventType.STAGE_CLOSE),
    "grader": (
        *(EventType.LEASE, EventType.BUILD, EventType.CHECK),
        *(EventType.VERDICT, EventType.RUN_CLOSE),
    ),
}
"""The events that decide, of each source in order: each once, but as many checks as are planned."""
DECISIVE = {kind for kinds in DEMANDED.values() for kind in kinds}
Read = TypeVar("Read", bound=Body)


@dataclass(frozen=True, slots=True)
class DecisiveEvents:
    """The bodies of the events that decide."""

    opened: RunOpened
    agent_lease: Leased
    limits: tuple[LimitReached, ...]
    stage: StageClosed
    grade_lease: Leased
    build: Built
    checks: tuple[tuple[int, Checked], ...]
    """With the `seq` of each."""
    verdict: Judged


def decisive_events(events: Iterable[RecordEvent]) -> DecisiveEvents:
    """Raises RecordRefused: event_order, naming what stands there and what is demanded, and
    not_an_event for a body that does not say what it must."""
    known = list(events)
    parts = {source: [one for one in known if one.src == source] for source in DEMANDED}
    agent, grade = (_demanded(source, part) for source, part in parts.items())
    checks = [one for one in parts["grader"] if one.type == EventType.CHECK]
    limits = [one for one in parts["recorder"] if one.type == EventType.LIMIT]
    # Its count was held before, but true counts as 1 there, and its status stands nowhere else.
    _read(grade[EventType.RUN_CLOSE], RunClosed)
    return DecisiveEvents(
        opened=_read(agent[EventType.RUN_OPEN], RunOpened),
        agent_lease=_read(agent[EventType.LEASE], Leased),
        limits=tuple(_read(one, LimitReached) for one in limits),
        stage=_read(agent[EventType.STAGE_CLOSE], StageClosed),
        grade_lease=_read(grade[EventType.LEASE], Leased),
        build=_read(grade[EventType.BUILD], Built),
        checks=tuple((one.seq, _read(one, Checked)) for one in checks),
        verdict=_read(grade[EventType.VERDICT], Judged),
    )


def _demanded(source: str, part: list[RecordEvent]) -> dict[str, RecordEvent]:
    """The events that decide, by type."""
    deciding = [one for one in part if one.type in DECISIVE]
    groups = [(kind, list(some)) for kind, some in groupby(deciding, lambda one: one.type)]
    once = all(len(some) == 1 or kind == EventType.CHECK for kind, some in groups)
    if not once or tuple(kind for kind, _ in groups) != DEMANDED[source]:
        raise RecordRefused(
            Reason.EVENT_ORDER,
            f"the {source}'s events that decide are {_list(one.type for one in deciding)}; "
            f"demanded are {_list(DEMANDED[source])}, each once, but every planned check.",
        )
    return {kind: some[0] for kind, some in groups}


def _list(kinds: Iterable[str]) -> str:
    told = [f"{kind} x {len(list(same))}" for kind, same in groupby(kinds)]
    return ", ".join(one.removesuffix(" x 1") for one in told) or "none"


def _read(event: RecordEvent, kind: type[Read]) -> Read:
    try:
        return kind.model_validate_json(canonical_bytes(event.body), strict=True)
    except ValidationError as error:
        raise RecordRefused(
            Reason.NOT_AN_EVENT, f"event {event.seq}, {event.type}: {first_fault(error)}."
        ) from error
