"""Logs of Inspect: one recording for each sample."""

import json
from collections.abc import Sequence
from typing import TypeVar, cast

from pydantic import JsonValue

from models.interchange.inspect_file import MOST_BYTES, Document, documents_of
from models.interchange.inspect_shapes import (
    ApprovalEvent,
    InspectEvent,
    InspectLog,
    InspectMessage,
    InspectSample,
    LimitEvent,
    ModelEvent,
    ToolEvent,
)
from models.interchange.instants import epoch_of
from models.interchange.source_file import Reading, SourceFile
from models.interchange.step_list import Data, Role, StepList
from models.interchange.token_counts import microusd
from models.schemas.model_call import total_usage
from models.schemas.recording import Recording, RecordingFormat

EVENTS: dict[str, type[InspectEvent]] = {
    "model": ModelEvent,
    "tool": ToolEvent,
    "approval": ApprovalEvent,
    "sample_limit": LimitEvent,
}
DECISIONS = {"approve": "accept", "reject": "reject", "modify": "modify", "terminate": "abort"}
DECIDED_BY = {"human": "person", "auto": "rule"}
"""Approvers that come with Inspect; whose another one is, nobody can know."""
STOPS = {
    "stop": "stop",
    "max_tokens": "length",
    "model_length": "length",
    "tool_calls": "tool",
    "content_filter": "refusal",
}
ATTACHED = "attachment://"

Shape = TypeVar("Shape", bound=JsonValue)


def read_inspect(files: Sequence[SourceFile]) -> list[Recording]:
    """A recording for each sample of the one log that there is. Raises InvalidInput."""
    reading = Reading(files[0])
    header, placed = documents_of(reading)
    log = reading.shaped(header, InspectLog, "")
    samples = [_Sample.read(reading, document, place) for place, document in placed]
    reading.finish()
    assert log is not None, "a log without faults was read"
    return [sample.recording(log) for sample in samples if sample is not None]


class _Sample:
    def __init__(self, sample: InspectSample, events: list[InspectEvent]) -> None:
        self._sample = sample
        self._events = events
        self._steps = StepList()
        self._turn = 0
        self._next = 0
        self._begun = {one.id: one.timestamp for one in events if isinstance(one, ToolEvent)}

    @classmethod
    def read(cls, reading: Reading, document: Document, place: str) -> "_Sample | None":
        """A sample with its events; None where it has faults, which are noted."""
        attached = document.get("attachments")
        whole = document
        if isinstance(attached, dict):
            named = _Attachments(attached)
            whole = named.put_into(document)
            if named.left < 0:
                reading.fault(f"{place}.attachments", f"come to more than {MOST_BYTES} characters")
        sample = reading.shaped(whole, InspectSample, place)
        if sample is None:
            return None
        found: list[InspectEvent] = []
        for number, value in enumerate(sample.events):
            shape = EVENTS.get(str(value.get("event")))
            event = shape and reading.shaped(value, shape, f"{place}.events.{number}")
            if event is not None:
                found.append(event)
        return cls(sample, found)

    def recording(self, log: InspectLog) -> Recording:
        """All that happened in it."""
        for event in self._events:
            self._tell(event)
        self._tell_messages(None, has_events=bool(self._events))
        sample, usages = self._sample, self._sample.model_usage
        costs = [one.total_cost for one in usages.values() if one.total_cost is not None]
        return Recording(
            format=RecordingFormat.INSPECT,
            format_version=str(log.version),
            agent=log.eval.solver or "inspect",
            agent_version=str(log.eval.packages.get("inspect_ai", "")),
            models=tuple(dict.fromkeys([*usages, log.eval.model] if log.eval.model else usages)),
            session=sample.uuid or f"{log.eval.task}/{sample.id}/{sample.epoch}",
            started_at=self._steps.began or epoch_of(sample.started_at),
            ending=self._ending(),
            usage=total_usage(one.counted() for one in usages.values()) if usages else None,
            cost_microusd=microusd(sum(costs)) if costs else None,
            steps=self._steps.steps(),
            kept={"task": log.eval.task, "sample": sample.id, "epoch": sample.epoch},
        )

    def _ending(self) -> str:
        if self._sample.error is not None:
            return f"error: {self._sample.error.message}"
        return f"limit: {self._sample.limit.type}" if self._sample.limit else "completed"

    def _tell(self, event: InspectEvent) -> None:
        at = epoch_of(event.timestamp)
        match event:
            case ModelEvent():
                self._tell_reply(event, at)
            case ToolEvent():
                self._tell_tool(event, at)
            case ApprovalEvent():
                self._tell_approval(event, at)
            case LimitEvent():
                text = f"limit {event.type}: {event.message}"
                self._steps.note(text, at=at, turn=self._turn, data={"limit": event.type})
            case _:
                raise AssertionError(f"{type(event).__name__} is told nowhere")

    def _tell_reply(self, event: ModelEvent, at: float | None) -> None:
        choice = event.output.choices[0] if event.output.choices else None
        self._tell_messages(choice.message.id if choice else None, has_events=True)
        self._turn += 1
        usage = event.output.usage
        data: Data = {
            "stop": STOPS.get(choice.stop_reason) if choice else "error",
            "cost_microusd": microusd(usage.total_cost) if usage else None,
            "attempts": None if event.retries is None else event.retries + 1,
        }
        model = event.output.model or event.model
        counted = usage.counted() if usage else None
        self._steps.model_call(model, counted, at=at, turn=self._turn, data=data)
        if choice is not None:
            self._say("agent", choice.message, at)
        if problem := event.error or event.output.error:
            self._steps.note(problem, at=at, turn=self._turn, data={"error": True})

    def _tell_tool(self, event: ToolEvent, at: float | None) -> None:
        self._call(event.id, event.function, event.arguments, at)
        is_good: JsonValue = event.error is None and not event.failed
        shown = event.error.message if event.error else _text_of(event.result)
        self._steps.result(event.id, shown, data={"ok": is_good})

    def _call(self, call: str, name: str, args: Document, at: float | None) -> None:
        self._steps.call(call, name, args, at=at, turn=self._turn, data={})

    def _tell_approval(self, event: ApprovalEvent, at: float | None) -> None:
        by = DECIDED_BY.get(event.approver)
        begun = epoch_of(self._begun.get(event.call.id))
        waited = None if begun is None or at is None else round((at - begun) * 1_000)
        data: Data = {
            "call": event.call.id,
            "decision": DECISIONS.get(event.decision, event.decision),
            "by": by,
            "approver": event.approver,
            "scope": "once",
            "latency_ms": waited if by == "person" else None,
        }
        text = event.explanation or event.decision
        self._steps.decision(text, at=at, turn=self._turn, data=data)

    def _tell_messages(self, upto: str | None, *, has_events: bool) -> None:
        """What was said before the reply `upto`, or to the end; replies too without events."""
        messages = self._sample.messages
        ends = [at for at in range(self._next, len(messages)) if messages[at].id == upto]
        if upto is not None and not ends:
            return
        end = ends[0] if upto is not None else len(messages)
        for message in messages[self._next : end]:
            if message.role in ("system", "user"):
                self._turn += 1
                self._say("system" if message.role == "system" else "user", message, None)
            elif not has_events:
                self._tell_silent(message)
        self._next = end + (upto is not None)

    def _tell_silent(self, message: InspectMessage) -> None:
        """A reply or a result of which no event tells."""
        if message.role == "tool":
            is_good: JsonValue = message.error is None
            call = message.tool_call_id or ""
            self._steps.result(call, _text_of(message.content), data={"ok": is_good})
            return
        self._turn += 1
        self._steps.model_call(message.model or "", None, at=None, turn=self._turn, data={})
        self._say("agent", message, None)
        for call in message.tool_calls or ():
            self._call(call.id, call.function, call.arguments, None)

    def _say(self, role: Role, message: InspectMessage, at: float | None) -> None:
        text = _text_of(message.content)
        thought = _thought_of(message.content)
        if text or thought:
            data: Data = {"reasoning": thought or None}
            self._steps.message(role, text, at=at, turn=self._turn, data=data)


def _text_of(content: JsonValue | list[Document]) -> str:
    """The text of a message or of a result, whatever shape it has; without what was thought."""
    if isinstance(content, str) or content is None:
        return content or ""
    if not isinstance(content, list):
        return json.dumps(content, ensure_ascii=False)
    parts: list[str] = []
    for part in content:
        if not isinstance(part, dict):
            parts.append(str(part))
        elif part.get("type") != "reasoning":
            parts.append(str(part.get("text") or f"[{part.get('type')}]"))
    return "\n".join(parts)


def _thought_of(content: str | list[Document]) -> str:
    parts = content if isinstance(content, list) else []
    return "\n".join(str(one.get("reasoning")) for one in parts if one.get("type") == "reasoning")


class _Attachments:
    """The texts that are kept once for all, since they are long. `left`: how many characters more
    of them may be put in the places that name them."""

    def __init__(self, texts: Document) -> None:
        self._texts = texts
        self.left = MOST_BYTES

    def put_into(self, value: Shape) -> Shape:
        """A value with the texts that it only names."""
        if isinstance(value, str) and value.startswith(ATTACHED):
            text = self._texts.get(value.removeprefix(ATTACHED), value)
            self.left -= len(text) if isinstance(text, str) else 0
            return cast("Shape", text if self.left >= 0 else value)
        if isinstance(value, list):
            return cast("Shape", [self.put_into(one) for one in value])
        if isinstance(value, dict):
            return cast("Shape", {name: self.put_into(one) for name, one in value.items()})
        return value
