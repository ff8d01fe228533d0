"""Trajectories of mini-swe-agent, format `mini-swe-agent-1.1`."""

import json
from collections.abc import Sequence
from typing import cast

from pydantic import Field, JsonValue

from models.interchange.foreign_values import Count, Dollars, Moment
from models.interchange.source_file import Foreign, Reading, SourceFile
from models.interchange.step_list import StepList
from models.interchange.token_counts import microusd, of_inclusive
from models.interchange.tool_shapes import Arguments
from models.schemas.model_call import TokenUsage, total_usage
from models.schemas.recording import Recording, RecordingFormat

FORMATS = ("mini-swe-agent-1.1", "mini-swe-agent-1")
STOPS = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool",
    "content_filter": "refusal",
    "function_call": "tool",
}


class _Details(Foreign):
    cached_tokens: Count | None = 0
    reasoning_tokens: Count | None = 0


class _Usage(Foreign):
    prompt_tokens: Count = 0
    completion_tokens: Count = 0
    prompt_tokens_details: _Details | None = None
    completion_tokens_details: _Details | None = None


class _Choice(Foreign):
    finish_reason: str | None = None


class _Response(Foreign):
    model: str = ""
    usage: _Usage | None = None
    choices: list[_Choice] = Field(default_factory=list[_Choice])


class _Action(Foreign):
    command: str
    tool_call_id: str = ""


class _Extra(Foreign):
    actions: list[_Action] = Field(default_factory=list[_Action])
    response: _Response | None = None
    cost: Dollars | None = None
    timestamp: Moment | None = None
    returncode: int | None = None
    raw_output: str | None = None
    exception_info: str | None = ""
    exit_status: str = ""


class _Message(Foreign):
    role: str
    content: str | list[dict[str, JsonValue]] | None = ""
    reasoning_content: str | None = None
    tool_call_id: str = ""
    extra: _Extra = Field(default_factory=_Extra)


class _ModelStats(Foreign):
    instance_cost: Dollars | None = None


class _Info(Foreign):
    exit_status: str | None = ""
    mini_version: str = ""
    model_stats: _ModelStats = Field(default_factory=_ModelStats)
    config: dict[str, JsonValue] = Field(default_factory=dict)


class _Trajectory(Foreign):
    trajectory_format: str
    info: _Info
    messages: list[_Message] = Field(min_length=1)


def read_mini_swe_agent(files: Sequence[SourceFile]) -> Recording:
    """The recording in the one file that there is. Raises InvalidInput."""
    reading = Reading(files[0])
    found = reading.shaped(reading.document(), _Trajectory, "")
    if found is not None and found.trajectory_format not in FORMATS:
        reading.fault(
            "trajectory_format",
            f"{found.trajectory_format!r} is not known",
            f"give a trajectory in {FORMATS[0]}",
        )
    reading.finish()
    assert found is not None, "a trajectory without faults was read"
    telling = _Telling(found)
    return telling.recording(files[0])


class _Telling:
    def __init__(self, found: _Trajectory) -> None:
        self._found = found
        self._steps = StepList()
        self._turn = 0
        self._usages: list[TokenUsage] = []
        self._models: list[str] = []
        self._waiting: dict[str, None] = {}
        self._told: list[str] = []

    def recording(self, file: SourceFile) -> Recording:
        """All that the messages came to."""
        for message in self._found.messages:
            self._tell(message)
        info = self._found.info
        return Recording(
            format=RecordingFormat.MINI_SWE_AGENT,
            format_version=self._found.trajectory_format,
            agent="mini-swe-agent",
            agent_version=info.mini_version,
            models=tuple(dict.fromkeys(self._models)),
            session=file.name,
            started_at=self._steps.began,
            ending=info.exit_status or "",
            usage=total_usage(self._usages) if self._usages else None,
            cost_microusd=microusd(info.model_stats.instance_cost),
            steps=self._steps.steps(),
            told=tuple(self._told),
        )

    def _tell(self, message: _Message) -> None:
        at = message.extra.timestamp
        if message.role == "assistant":
            self._tell_reply(message, at)
        elif message.extra.returncode is not None or message.role == "tool":
            self._tell_result(message)
        elif message.role == "exit":
            self._steps.note(f"exit: {message.extra.exit_status}", at=at, turn=self._turn)
        else:
            self._turn += 1
            role = "system" if message.role == "system" else "user"
            self._steps.message(role, _text_of(message), at=at, turn=self._turn, data={})

    def _tell_reply(self, message: _Message, at: float | None) -> None:
        self._turn += 1
        response = message.extra.response or _Response()
        usage = None if response.usage is None else _counted(response.usage)
        if usage is not None:
            self._usages.append(usage)
        model = response.model or self._configured_model()
        self._models.append(model)
        finish = response.choices[0].finish_reason if response.choices else None
        data: dict[str, JsonValue] = {
            "cost_microusd": microusd(message.extra.cost),
            "stop": STOPS.get(finish or ""),
        }
        self._steps.model_call(model, usage, at=at, turn=self._turn, data=data)
        if text := _text_of(message):
            known: dict[str, JsonValue] = {"reasoning": message.reasoning_content}
            self._steps.message("agent", text, at=at, turn=self._turn, data=known)
        for number, action in enumerate(message.extra.actions):
            call = action.tool_call_id or f"turn-{self._turn}-{number}"
            self._waiting[call] = None
            args: Arguments = {"command": action.command}
            self._steps.call(call, "bash", args, at=at, turn=self._turn, data={})

    def _tell_result(self, message: _Message) -> None:
        # Formats without tools answer in order.
        call = message.tool_call_id or next(iter(self._waiting), "")
        self._waiting.pop(call, None)
        extra = message.extra
        output, code = extra.raw_output, None if extra.exception_info else extra.returncode
        shown = _text_of(message) if output is None else output
        if not self._steps.result(call, shown, exit_code=code, data={"ok": code == 0}):
            self._told.append(f"the result of a call {call!r} that is not there")

    def _configured_model(self) -> str:
        model = self._found.info.config.get("model")
        name = model.get("model_name") if isinstance(model, dict) else None
        return str(name or "")


def _counted(usage: _Usage) -> TokenUsage:
    read, written = usage.prompt_tokens_details, usage.completion_tokens_details
    return of_inclusive(
        usage.prompt_tokens,
        usage.completion_tokens,
        cached=(read.cached_tokens or 0) if read else 0,
        reasoning=(written.reasoning_tokens or 0) if written else 0,
    )


def _text_of(message: _Message) -> str:
    content = message.content
    if isinstance(content, list):
        parts = [cast("str", one.get("text") or json.dumps(one)) for one in content]
        return "\n".join(parts)
    return content or ""
