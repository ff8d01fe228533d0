"""Tells a record as a story: what happened, when, by whom, and what came of it."""

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import Any, cast

from models.records.blob_names import KEYS
from models.schemas.record_event import EventType, RecordEvent

SHOWN = 160
NAME_WIDTH = 12


def story(events: Iterable[RecordEvent]) -> Iterator[str]:
    """One line for each event, under a line for each stage."""
    before = None
    for event in events:
        if event.type == EventType.LEASE and event.body.get("stage") != before:
            before = event.body.get("stage")
            yield ""
            yield f"{before} stage, by {event.body.get('worker')}"
        yield f"{_clock(event)}  {event.type:<{NAME_WIDTH}}  {_told(event)}".rstrip()


def _clock(event: RecordEvent) -> str:
    at = datetime.fromtimestamp(event.t / 1000, UTC)
    return f"{at:%H:%M:%S}.{event.t % 1000:03d} +{event.mono / 1000:8.3f}"


def _told(event: RecordEvent) -> str:
    tell = TELLS.get(event.type)
    return (tell or _step)(event.body)


def _opened(body: dict[str, Any]) -> str:
    system = cast("dict[str, Any]", body.get("system") or {})
    return (
        f"{system.get('name')} ({system.get('agent')}) on {body.get('task')} in "
        f"{body.get('language')}, repeat {body.get('repeat')}, attempt {body.get('number')}; "
        f"nonce {str(body.get('nonce'))[:12]}, universe {str(body.get('universe'))[7:19]}"
    )


def _leased(body: dict[str, Any]) -> str:
    return f"{body.get('change')} under token {body.get('token')}, attempt {body.get('number')}"


def _step(body: dict[str, Any]) -> str:
    """A command, an edit, a reply, a decision, …: its text, and what is known besides."""
    parts = [_text(body.get("text"))]
    if "exit" in body:
        parts.append(f"-> exit {body['exit']}")
    if isinstance(body.get("out"), dict):
        parts.append(_size(body["out"]))
    data = body.get("data")
    if isinstance(data, dict):
        parts.append(_data(cast("dict[str, Any]", data)))
    return "  ".join(part for part in parts if part)


def _data(data: dict[str, Any]) -> str:
    told = [
        f"{name} {_text(value)}"
        for name, value in data.items()
        if name in SHOWN_DATA and value not in (None, "", {}, [])
    ]
    cost, usage = data.get("cost_microusd"), data.get("usage")
    if isinstance(usage, dict):
        counts = cast("dict[str, Any]", usage).items()
        told += [f"{number} {name.replace('_', ' ')}" for name, number in counts if number]
    if isinstance(cost, int):
        told.append(f"${cost / 1_000_000:.6f}")
    return f"({', '.join(told)})" if told else ""


SHOWN_DATA = ("model", "wire", "status", "stop", "fate", "path", "edit", "ending", "attempts")
"""What of a step's data fits into a line; the rest is in the record."""


def _limited(body: dict[str, Any]) -> str:
    return f"reached {body['reached']}" if "reached" in body else _step(body)


def _closed_stage(body: dict[str, Any]) -> str:
    changed = "the workspace changed" if body.get("changed") else "the workspace did not change"
    cost, tokens = body.get("cost_microusd"), body.get("tokens")
    spent = "" if not cost and not tokens else f", ${(cost or 0) / 1e6:.6f}, {tokens} tokens"
    took = f"{body.get('wall_ms')} ms, of them {body.get('cpu_ms')} ms of processor"
    return f"stopped: {body.get('stop')}; {changed}; {took}{spent}"


def _built(body: dict[str, Any]) -> str:
    if not body.get("needed"):
        return "none is needed"
    again = ", as built before" if body.get("cached") else ""
    return f"{body.get('outcome')}{again}, {body.get('wall_ms', 0)} ms"


def _checked(body: dict[str, Any]) -> str:
    told = f"{body.get('outcome'):<12}  {body.get('id')}"
    if body.get("ending") == "exited":
        told += f"  exit {body.get('exit')}, {body.get('wall_ms')} ms"
    elif body.get("ending"):
        told += f"  {body.get('ending')}"
    return told


def _judged(body: dict[str, Any]) -> str:
    planned = cast("list[Any]", body.get("planned") or [])
    missing = ", undelivered" if body.get("undelivered") else ""
    return f"{str(body.get('verdict')).upper()}{missing}, of {len(planned)} planned checks"


def _closed_run(body: dict[str, Any]) -> str:
    return f"{body.get('status')}, {body.get('events')} events"


TELLS: dict[str, Callable[[dict[str, Any]], str]] = {
    EventType.RUN_OPEN: _opened,
    EventType.LEASE: _leased,
    EventType.LIMIT: _limited,
    EventType.STAGE_CLOSE: _closed_stage,
    EventType.BUILD: _built,
    EventType.CHECK: _checked,
    EventType.VERDICT: _judged,
    EventType.RUN_CLOSE: _closed_run,
}


def _text(value: Any) -> str:
    """A value in one line; a blob by its size."""
    if isinstance(value, dict) and set(cast("dict[str, Any]", value)) == KEYS:
        return _size(cast("dict[str, Any]", value))
    line = "" if value is None else " ".join(str(cast("object", value)).split())
    return line if len(line) <= SHOWN else f"{line[: SHOWN - 1]}…"


def _size(blob: dict[str, Any]) -> str:
    return f"[{blob.get('size', '?')} bytes, {str(blob.get('sha256'))[:12]}]"
