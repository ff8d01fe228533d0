"""Sessions as spans of OpenTelemetry's conventions for generative AI, in OTLP's JSON.

The conventions are under development: the names are kept here, and the address of their version
is written beside them. What they have no name for begins with `gradefarm.`.
"""

import json

from pydantic import JsonValue

from models.interchange.atif_writing import model_of, usage_of
from models.interchange.otel_values import (
    SPAN_DIGITS,
    TRACE_DIGITS,
    Attributes,
    Value,
    attributes_of,
    identifier,
    nanoseconds,
)
from models.interchange.token_counts import whole_input, whole_output
from models.interchange.told_session import ToldSession
from models.interchange.turns import CALLS, side_of
from models.schemas.model_call import TokenUsage
from models.schemas.transcript import TranscriptStep

SCHEMA_URL = "https://opentelemetry.io/schemas/gen-ai/1.42.0"
INTERNAL, CLIENT = 1, 3
FAILED = 2
FINISHES = {"stop": "stop", "length": "length", "tool": "tool_call", "refusal": "content_filter"}
PROVIDERS = {
    "anthropic": "anthropic",
    "openai-chat": "openai",
    "openai-responses": "openai",
    "claude-code": "anthropic",
    "claude-code-stream": "anthropic",
    "codex": "openai",
    "codex-exec": "openai",
}
"""By the format of a call, or of a recording where a call doesn't say."""
UNKNOWN = "unknown"


def write_spans(session: ToldSession, *, version: str, content: bool) -> Value:
    """One trace: the agent's span, and in it one for each reply of a model and each tool.

    `content`: also what was said, and what tools were given and gave, which the conventions leave
    out unless somebody asks for it. A session without times begins at the epoch.
    """
    trace = _Trace(session, content=content)
    scope: Value = {"name": "gradefarm", "version": version}
    spans: list[JsonValue] = [trace.root(), *trace.inner()]
    resource: Value = {"attributes": attributes_of({"service.name": "gradefarm"})}
    return {
        "resourceSpans": [
            {
                "resource": resource,
                "scopeSpans": [{"scope": scope, "spans": spans, "schemaUrl": SCHEMA_URL}],
                "schemaUrl": SCHEMA_URL,
            }
        ]
    }


class _Trace:
    def __init__(self, session: ToldSession, *, content: bool) -> None:
        self._session = session
        self._content = content
        self._began = session.started_at or 0.0
        self._trace = identifier(TRACE_DIGITS, session.origin, session.session)
        self._root = identifier(SPAN_DIGITS, self._trace, "root")

    def root(self) -> Value:
        """The span of the whole session, with what belongs to no call as its events."""
        told = self._session
        usage = _usage_attributes(told.usage)
        own: Attributes = {
            f"gradefarm.{name}": value
            for name, value in told.details.items()
            if isinstance(value, str | int | float)
        }
        attributes: Attributes = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.provider.name": self._provider(None),
            "gen_ai.agent.name": told.agent,
            "gen_ai.agent.version": told.agent_version,
            "gen_ai.conversation.id": told.session,
            "gen_ai.request.model": told.model,
            **usage,
            "gradefarm.origin": told.origin,
            "gradefarm.cost_microusd": told.cost_microusd,
            "gradefarm.time_is_known": told.started_at is not None,
            **own,
        }
        end = max((step.at for step in told.steps), default=0.0)
        loose = [step for step in told.steps if step.kind in ("note", "limit")]
        span = self._span(self._root, f"invoke_agent {told.agent}", (0.0, end), attributes)
        return {**span, "kind": INTERNAL, "events": [self._event(step) for step in loose]}

    def inner(self) -> list[JsonValue]:
        """The spans of replies and of tools."""
        found: list[JsonValue] = []
        for place, step in enumerate(self._session.steps):
            if step.kind == "model_call":
                found.append(self._reply(place, step))
            elif step.kind in CALLS:
                found.append(self._tool(step))
        return found

    def _reply(self, place: int, step: TranscriptStep) -> Value:
        data = step.data
        finish = FINISHES.get(str(data.get("stop")), data.get("stop"))
        attributes: Attributes = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": self._provider(data.get("wire")),
            "gen_ai.request.model": model_of(step),
            "gen_ai.conversation.id": self._session.session,
            "gen_ai.response.finish_reasons": [finish] if isinstance(finish, str) else None,
            **_usage_attributes(usage_of(step)),
            "gen_ai.output.messages": self._said(place) if self._content else None,
            "gradefarm.cost_microusd": _number(data.get("cost_microusd")),
            "gradefarm.lane": _lane_of(step),
            "gradefarm.attempts": _number(data.get("attempts")),
            "gradefarm.waited_ms": _number(data.get("waited_ms")),
        }
        took = (_number(data.get("took_ms")) or 0) / 1_000
        times = (max(0.0, step.at - took), step.at)
        span = self._span(self._name_of(step), f"chat {step.text}".strip(), times, attributes)
        status = _number(data.get("status")) or 0
        return {**span, "parentSpanId": self._root, "kind": CLIENT, **_status(status >= 400)}

    def _tool(self, step: TranscriptStep) -> Value:
        name = str(step.data.get("name") or step.kind)
        arguments = step.data.get("args") or {"text": step.text}
        attributes: Attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": name,
            "gen_ai.tool.type": "function",
            "gen_ai.tool.call.id": str(step.data.get("call") or f"step-{step.number}"),
            "gen_ai.tool.call.arguments": json.dumps(arguments) if self._content else None,
            "gen_ai.tool.call.result": step.output if self._content else None,
            "gradefarm.kind": step.kind,
            "gradefarm.lane": _lane_of(step),
            "gradefarm.exit_code": step.exit_code,
        }
        span = self._span(
            self._name_of(step), f"execute_tool {name}", (step.at, step.at), attributes
        )
        failed = step.data.get("ok") is False or step.exit_code not in (None, 0)
        decided: list[JsonValue] = [
            self._event(one)
            for one in self._session.steps
            if one.kind == "decision" and one.data.get("call") == step.data.get("call", "")
        ]
        own: Value = {"parentSpanId": self._root, "kind": INTERNAL, "events": decided}
        return {**span, **own, **_status(failed)}

    def _span(
        self, name: str, shown: str, times: tuple[float, float], attributes: Attributes
    ) -> Value:
        return {
            "traceId": self._trace,
            "spanId": name,
            "name": shown,
            "startTimeUnixNano": nanoseconds(self._began + times[0]),
            "endTimeUnixNano": nanoseconds(self._began + times[1]),
            "attributes": attributes_of(attributes),
        }

    def _event(self, step: TranscriptStep) -> Value:
        own: Attributes = {
            f"gradefarm.{name}": value
            for name, value in step.data.items()
            if isinstance(value, str | int | float)
        }
        text: Attributes = {"gradefarm.text": step.text}
        return {
            "timeUnixNano": nanoseconds(self._began + step.at),
            "name": f"gradefarm.{step.kind}",
            "attributes": attributes_of({**text, **own} if self._content else own),
        }

    def _said(self, place: int) -> str:
        """What the reply at `place` said, as the conventions' JSON."""
        parts: list[JsonValue] = []
        for step in self._session.steps[place + 1 :]:
            if step.kind == "model_call" or side_of(step) != "agent":
                break
            if step.kind == "message":
                parts.append({"type": "text", "content": step.text})
            elif step.kind in CALLS:
                call = {"id": step.data.get("call"), "name": step.data.get("name")}
                parts.append({"type": "tool_call", **call, "arguments": step.data.get("args")})
        return json.dumps([{"role": "assistant", "parts": parts}], ensure_ascii=False)

    def _name_of(self, step: TranscriptStep) -> str:
        return identifier(SPAN_DIGITS, self._trace, step.number)

    def _provider(self, wire: JsonValue) -> str:
        known = wire if isinstance(wire, str) else self._session.details.get("format")
        return PROVIDERS.get(str(known), UNKNOWN)


def _usage_attributes(usage: TokenUsage | None) -> Attributes:
    if usage is None:
        return {}
    return {
        "gen_ai.usage.input_tokens": whole_input(usage),
        "gen_ai.usage.output_tokens": whole_output(usage),
        "gen_ai.usage.cache_read.input_tokens": usage.cache_read,
        "gen_ai.usage.cache_creation.input_tokens": usage.cache_write,
        "gen_ai.usage.reasoning.output_tokens": usage.reasoning,
    }


def _number(value: JsonValue) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _status(failed: bool) -> Value:
    return {"status": {"code": FAILED}} if failed else {"status": {}}


def _lane_of(step: TranscriptStep) -> str | None:
    """The subagent that did it."""
    lane = step.data.get("lane")
    return lane if isinstance(lane, str) else None
