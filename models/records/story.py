"""Tells a record as a story: what happened, when, by whom, and what came of it.

Whoever wrote the record may have written anything: each part is told if it is of its kind, and
nothing reaches the reader's terminal but letters.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import Any, cast

from models.plain_text import one_line
from models.records.blob_names import KEYS
from models.schemas.record_event import EventType, RecordEvent

SHOWN = 160
NAME_WIDTH = 12
LAST_TIME = 253_402_300_799_999
"""The end of the year 9999, in milliseconds."""
Body = dict[str, Any]


def story(events: Iterable[RecordEvent]) -> Iterator[str]:
    """One line for each event, under a line for each stage."""
    before = None
    for event in events:
        if event.type == EventType.LEASE and event.body.get("stage") != before:
            before = event.body.get("stage")
            yield ""
            yield f"{_text(before)} stage, by {_text(event.body.get('worker'))}"
        yield f"{_clock(event)}  {_text(event.type):<{NAME_WIDTH}}  {_told(event)}".rstrip()


def _clock(event: RecordEvent) -> str:
    if not 0 <= event.t <= LAST_TIME:
        return f"at {event.t} ms"
    at = datetime.fromtimestamp(event.t / 1000, UTC)
    return f"{at:%H:%M:%S}.{event.t % 1000:03d} +{event.mono / 1000:8.3f}"


def _told(event: RecordEvent) -> str:
    tell = TELLS.get(event.type)
    return (tell or _step)(event.body)


def _opened(body: Body) -> str:
    system = _object(body, "system")
    return (
        f"{_text(system.get('name'))} ({_text(system.get('agent'))}) on {_text(body.get('task'))} "
        f"in {_text(body.get('language'))}, repeat {_text(body.get('repeat'))}, attempt "
        f"{_text(body.get('number'))}; nonce {_text(body.get('nonce'))[:12]}, universe "
        f"{_text(body.get('universe'))[7:19]}"
    )


def _leased(body: Body) -> str:
    told = {name: _text(body.get(name)) for name in ("change", "token", "number")}
    return f"{told['change']} under token {told['token']}, attempt {told['number']}"


def _step(body: Body) -> str:
    """A command, an edit, a reply, a decision, …: its text, and what is known besides."""
    parts = [_text(body.get("text"))]
    if "exit" in body:
        parts.append(f"-> exit {_text(body['exit'])}")
    if isinstance(body.get("out"), dict):
        parts.append(_size(body["out"]))
    parts.append(_data(_object(body, "data")))
    return "  ".join(part for part in parts if part)


def _called(body: Body) -> str:
    """A model's call: its text names the model, how it stopped and the cost, so that of its data
    only the rest is told."""
    if not body.get("text"):
        return _step(body)
    rest = {
        name: value for name, value in _object(body, "data").items() if name not in TOLD_BY_TEXT
    }
    return _step({**body, "data": rest})


TOLD_BY_TEXT = ("model", "stop", "cost_microusd")


def _data(data: Body) -> str:
    told = [
        f"{name} {_text(value)}"
        for name, value in data.items()
        if name in SHOWN_DATA and value not in (None, "", {}, [])
    ]
    told += [
        f"{_text(number)} {_text(name.replace('_', ' '))}"
        for name, number in _object(data, "usage").items()
        if number
    ]
    if "cost_microusd" in data:
        told.append(_dollars(data["cost_microusd"]))
    return f"({', '.join(told)})" if told else ""


SHOWN_DATA = ("model", "wire", "status", "stop", "fate", "path", "edit", "ending", "attempts")
"""What of a step's data fits into a line; the rest is in the record."""


def _limited(body: Body) -> str:
    return f"reached {_text(body['reached'])}" if "reached" in body else _step(body)


def _closed_stage(body: Body) -> str:
    changed = "the workspace changed" if body.get("changed") else "the workspace did not change"
    cost, tokens = body.get("cost_microusd"), body.get("tokens")
    spent = "" if not cost and not tokens else f", {_dollars(cost or 0)}, {_text(tokens)} tokens"
    took = f"{_text(body.get('wall_ms'))} ms, of them {_text(body.get('cpu_ms'))} ms of processor"
    return f"stopped: {_text(body.get('stop'))}; {changed}; {took}{spent}"


def _built(body: Body) -> str:
    if not body.get("needed"):
        return "none is needed"
    again = ", as built before" if body.get("cached") else ""
    return f"{_text(body.get('outcome'))}{again}, {_text(body.get('wall_ms', 0))} ms"


def _checked(body: Body) -> str:
    told = f"{_text(body.get('outcome')):<12}  {_text(body.get('id'))}"
    if body.get("ending") == "exited":
        told += f"  exit {_text(body.get('exit'))}, {_text(body.get('wall_ms'))} ms"
    elif body.get("ending"):
        told += f"  {_text(body['ending'])}"
    return told


def _judged(body: Body) -> str:
    plan = _object(body, "universe").get("plan")
    count = len(cast("list[Any]", plan)) if isinstance(plan, list) else "?"
    missing = ", undelivered" if body.get("undelivered") else ""
    return f"{_text(body.get('verdict')).upper()}{missing}, of {count} planned checks"


def _closed_run(body: Body) -> str:
    return f"{_text(body.get('status'))}, {_text(body.get('events'))} events"


TELLS: dict[str, Callable[[Body], str]] = {
    EventType.RUN_OPEN: _opened,
    EventType.LEASE: _leased,
    EventType.LIMIT: _limited,
    EventType.MODEL_CALL: _called,
    EventType.STAGE_CLOSE: _closed_stage,
    EventType.BUILD: _built,
    EventType.CHECK: _checked,
    EventType.VERDICT: _judged,
    EventType.RUN_CLOSE: _closed_run,
}


def _object(body: Body, name: str) -> Body:
    """The object of that name, empty where there is none."""
    found = body.get(name)
    return cast("Body", found) if isinstance(found, dict) else {}


def _dollars(microusd: object) -> str:
    return f"${microusd / 1_000_000:.6f}" if isinstance(microusd, int) else f"${_text(microusd)}"


def _text(value: Any) -> str:
    """A value in one line of letters, whatever it is; a blob by its size."""
    if isinstance(value, dict) and set(cast("Body", value)) == KEYS:
        return _size(cast("Body", value))
    line = "" if value is None else " ".join(str(cast("object", value)).split())
    return one_line(line if len(line) <= SHOWN else f"{line[: SHOWN - 1]}…")


def _size(blob: Body) -> str:
    size, name = (one_line(str(blob.get(key, "?"))[:20]) for key in ("size", "sha256"))
    return f"[{size} bytes, {name[:12]}]"
