"""Codex's rollout files: JSON lines of all that went to the model and came from it."""

import json
import re
from collections.abc import Sequence

from pydantic import JsonValue

from models.interchange.codex_lines import (
    CodexUsage,
    Part,
    ResponseItem,
    RolloutLine,
    SessionMeta,
    TokenCount,
    TurnContext,
    UsageRecord,
)
from models.interchange.foreign_values import foreign_json
from models.interchange.instants import epoch_of
from models.interchange.source_file import Reading, SourceFile
from models.interchange.step_list import Role, StepList
from models.interchange.tool_shapes import Arguments
from models.schemas.recording import Recording, RecordingFormat

EXIT_CODE = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d{1,10})$", re.MULTILINE)
REFUSED = re.compile(r"\A(?:exec command|patch|apply_patch) rejected by (user|policy)")
DECIDED_BY = {"user": "person", "policy": "rule"}
ROLES: dict[str, Role] = {"assistant": "agent", "user": "user"}
CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call"})
OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output"})


def read_codex(files: Sequence[SourceFile]) -> Recording:
    """The session in the one file that there is. Raises InvalidInput."""
    reading = Reading(files[0])
    session = _Session(reading)
    for number, value in reading.lines():
        line = reading.shaped(value, RolloutLine, f"line {number}")
        if line is not None:
            session.take(line, f"line {number}, payload")
    if not session.is_known and not reading.faults:
        reading.fault("the file", "holds no line `session_meta`, with which rollouts begin")
    reading.finish()
    return session.recording(files[0])


class _Session:
    """A reply of the model begins with its first item and ends where its tokens are told."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._steps = StepList()
        self._meta: SessionMeta | None = None
        self._models: list[str] = []
        self._policy: JsonValue = None
        self._turn = 0
        self._reply: int | None = None
        self._total: CodexUsage | None = None
        self._has_records = False
        self._is_complete = False

    @property
    def is_known(self) -> bool:
        """Whether it is a session at all."""
        return self._meta is not None

    def recording(self, file: SourceFile) -> Recording:
        """All that the lines came to."""
        meta = self._meta or SessionMeta()
        return Recording(
            format=RecordingFormat.CODEX,
            agent="codex",
            agent_version=meta.cli_version,
            models=tuple(dict.fromkeys(self._models)),
            session=meta.id or file.name,
            started_at=self._steps.began,
            ending="task_complete" if self._is_complete else "",
            usage=None if self._total is None else self._total.counted(),
            steps=self._steps.steps(),
            told=tuple(self._reading.told),
        )

    def take(self, line: RolloutLine, where: str) -> None:
        """Tell what one line says."""
        at = epoch_of(line.timestamp)
        shaped = self._reading.shaped
        match line.type:
            case "response_item":
                if item := shaped(line.payload, ResponseItem, where):
                    self._take_item(item, at, where)
            case "token_usage_record":
                if record := shaped(line.payload, UsageRecord, where):
                    self._has_records = True
                    self._end_reply(record.usage, record.thread_token_usage)
            case "event_msg":
                self._take_event(line.payload, where)
            case _:
                self._take_terms(line, at, where)

    def _take_terms(self, line: RolloutLine, at: float | None, where: str) -> None:
        if line.type == "session_meta":
            # Of a session that another one began, too: the first is its own.
            self._meta = self._meta or self._reading.shaped(line.payload, SessionMeta, where)
        elif line.type == "turn_context":
            context = self._reading.shaped(line.payload, TurnContext, where)
            if context is not None:
                self._take_context(context, at)

    def _take_context(self, context: TurnContext, at: float | None) -> None:
        self._models.append(context.model)
        if context.approval_policy != self._policy:
            self._policy = context.approval_policy
            self._steps.note(f"approval policy: {self._policy}", at=at, turn=self._turn)

    def _take_event(self, payload: dict[str, JsonValue], where: str) -> None:
        if payload.get("type") == "task_complete":
            self._is_complete = True
        if payload.get("type") != "token_count" or self._has_records:
            return
        count = self._reading.shaped(payload, TokenCount, where)
        # The same sums come again with news of rate limits.
        if count and count.info and count.info.total_token_usage != self._total:
            self._end_reply(count.info.last_token_usage, count.info.total_token_usage)

    def _end_reply(self, usage: CodexUsage, total: CodexUsage | None) -> None:
        if self._reply is not None:
            self._steps.counted(self._reply, usage.counted())
        self._reply = None
        self._total = total or self._total

    def _take_item(self, item: ResponseItem, at: float | None, where: str) -> None:
        if item.type == "message":
            self._take_message(item, at)
        elif item.type == "reasoning":
            self._begin_reply(at)
            thought = _text_of(item.content) or _text_of(item.summary)
            self._say("agent", "", at, {"reasoning": thought})
        elif item.type in CALLS:
            self._begin_reply(at)
            name, args = self._call_of(item, where)
            call = item.call_id or f"turn-{self._turn}"
            self._steps.call(call, name, args, at=at, turn=self._turn, data={})
        elif item.type in OUTPUTS:
            self._take_output(item, at)

    def _take_message(self, item: ResponseItem, at: float | None) -> None:
        role = ROLES.get(item.role, "system")
        if role == "agent":
            self._begin_reply(at)
        else:
            self._turn += 1
            self._reply = None
        self._say(role, _text_of(item.content), at, {})

    def _say(self, role: Role, text: str, at: float | None, data: dict[str, JsonValue]) -> None:
        self._steps.message(role, text, at=at, turn=self._turn, data=data)

    def _begin_reply(self, at: float | None) -> None:
        if self._reply is None:
            self._turn += 1
            model = self._models[-1] if self._models else ""
            self._reply = self._steps.model_call(model, None, at=at, turn=self._turn, data={})

    def _call_of(self, item: ResponseItem, where: str) -> tuple[str, Arguments]:
        if item.type == "local_shell_call":
            return "local_shell", {"command": list[JsonValue](item.action.command)}
        if item.type == "custom_tool_call":
            return item.name, {"input": item.input}
        try:
            value = foreign_json(item.arguments or "{}")
        except ValueError:
            # What a model writes need be no JSON, and the agent told it so.
            return item.name, {"malformed": item.arguments}
        if not isinstance(value, dict):
            self._reading.fault(f"{where}.arguments", "holds no JSON object")
            return item.name, {}
        return item.name, value

    def _take_output(self, item: ResponseItem, at: float | None) -> None:
        output, code = _output_of(item.output)
        call = item.call_id or ""
        if not self._steps.result(call, output, exit_code=code, data={"ok": code in (None, 0)}):
            self._reading.told.append(f"the result of a call {call!r} that is not there")
        if refused := REFUSED.match(output):
            decided: dict[str, JsonValue] = {
                "call": call,
                "decision": "reject",
                "by": DECIDED_BY[refused[1]],
            }
            self._steps.decision("rejected", at=at, turn=self._turn, data=decided)


def _text_of(content: list[Part] | str | None) -> str:
    if isinstance(content, list):
        return "\n".join(part.text or f"[{part.type}]" for part in content)
    return content or ""


def _output_of(value: JsonValue) -> tuple[str, int | None]:
    """The text of a result and the exit code that it tells of, in any of the shapes that it had."""
    if isinstance(value, str):
        if value.startswith("{"):
            try:
                inner = foreign_json(value)
            except ValueError:
                inner = None
            if isinstance(inner, dict) and isinstance(inner.get("output"), str):
                return _output_of(inner)
        found = EXIT_CODE.search(value)
        return value, int(found[1]) if found else None
    if isinstance(value, list):
        parts = [str(part.get("text", "")) for part in value if isinstance(part, dict)]
        return "\n".join(parts), None
    if not isinstance(value, dict):
        return "" if value is None else json.dumps(value), None
    metadata = value.get("metadata")
    code = metadata.get("exit_code") if isinstance(metadata, dict) else None
    text = value.get("output", value.get("content", ""))
    return str(text), code if isinstance(code, int) else None
