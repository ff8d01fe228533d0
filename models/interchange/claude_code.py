"""Claude Code's sessions: transcripts (JSON lines, with those of subagents), and `stream-json`."""

import re
from collections.abc import Sequence

from pydantic import JsonValue

from models.interchange.claude_lines import (
    ClaudeBlock,
    ClaudeLine,
    ClaudeUsage,
    ResultLine,
    SpokenLine,
)
from models.interchange.instants import epoch_of
from models.interchange.source_file import Reading, SourceFile
from models.interchange.step_list import Data, StepList
from models.interchange.token_counts import microusd, of_exclusive
from models.schemas.model_call import TokenUsage, total_usage
from models.schemas.recording import Recording, RecordingFormat

EXIT_CODE = re.compile(r"(?:Error: )?Exit code (\d{1,3})\b")
REFUSED_BY_PERSON = ("User rejected tool use", "The user doesn't want to proceed")
"""How a refused call is told: the transcript has no word for who decided."""
SYNTHETIC = "<synthetic>"
"""The model of what Claude Code says in the place of one: that something failed."""
STREAM = RecordingFormat.CLAUDE_CODE_STREAM
STOPS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "tool_use": "tool",
    "refusal": "refusal",
}


def read_claude_code(files: Sequence[SourceFile]) -> Recording:
    """One session from its transcript and those of its subagents, or from one stream.

    A line that is there twice counts once; the tokens of a reply are those of its last line. In a
    stream the lines of replies are counted before they were written, which `partial` says: only
    the session's sum is right.
    Raises InvalidInput.
    """
    session = _Session()
    for file in files:
        reading = Reading(file)
        session.take(reading)
        reading.finish()
        session.told += reading.told
    return session.recording(files[0])


class _Session:
    def __init__(self) -> None:
        self.told: list[str] = []
        self._steps = StepList()
        self._moments: list[tuple[float, ClaudeLine]] = []
        self._lines: list[ClaudeLine] = []
        self._seen: set[str] = set()
        self._turn = 0
        self._replies: dict[str, int] = {}
        self._mode = ""
        self._usages: dict[str, tuple[str, TokenUsage | None]] = {}
        self._is_stream = False

    def take(self, reading: Reading) -> None:
        """Read the lines of one file, each only once."""
        latest = 0.0
        for number, value in reading.lines():
            shape = _shape_of(value)
            line = reading.shaped(value, shape, f"line {number}")
            if line is None or (line.uuid and line.uuid in self._seen):
                continue
            self._seen.add(line.uuid)
            latest = max(latest, epoch_of(line.timestamp) or 0.0)
            self._moments.append((latest, line))
        if not self._moments and not reading.faults:
            reading.fault("the file", "holds no line of a session")

    def recording(self, first: SourceFile) -> Recording:
        """All that the lines came to."""
        # Files of subagents come one after the other; what happened does not.
        self._moments.sort(key=lambda one: one[0])
        self._lines = [line for _, line in self._moments]
        self._usages = _last_usages(self._lines)
        self._is_stream = any(map(_is_of_stream, self._lines))
        for line in self._lines:
            self._tell(line)
        result = next((line for line in self._lines if isinstance(line, ResultLine)), None)
        return Recording(
            format=STREAM if self._is_stream else RecordingFormat.CLAUDE_CODE,
            agent="claude-code",
            agent_version=next((one.version for one in self._lines if one.version), ""),
            models=tuple(dict.fromkeys(model for model, _ in self._usages.values() if model)),
            session=next((one.session for one in self._lines if one.session), first.name),
            started_at=self._steps.began,
            ending=self._ending(result),
            usage=self._usage(result),
            cost_microusd=None if result is None else microusd(result.total_cost_usd),
            steps=self._steps.steps(),
            told=tuple(self.told),
        )

    def _ending(self, result: ResultLine | None) -> str:
        return "" if result is None else result.terminal_reason or result.subtype

    def _usage(self, result: ResultLine | None) -> TokenUsage | None:
        if result is not None and result.usage is not None:
            return _counted(result.usage)
        known = [usage for _, usage in self._usages.values() if usage is not None]
        return total_usage(known) if known else None

    def _tell(self, line: ClaudeLine) -> None:
        at = epoch_of(line.timestamp)
        data: Data = {"lane": line.lane}
        if line.mode and line.mode != self._mode:
            self._mode = line.mode
            self._steps.note(f"permission mode: {line.mode}", at=at, turn=self._turn)
        if isinstance(line, ResultLine):
            self._tell_denials(line)
        elif isinstance(line, SpokenLine) and line.type == "assistant":
            self._tell_reply(line, at, data)
        elif isinstance(line, SpokenLine):
            self._tell_user(line, at, data)
        elif line.type == "system" and isinstance(line.content, str):
            self._steps.note(line.content, at=at, turn=self._turn, data=data)

    def _tell_reply(self, line: SpokenLine, at: float | None, data: Data) -> None:
        message = line.message
        if line.is_error_message or message.model == SYNTHETIC:
            text = "\n".join(block.text for block in _blocks_of(message.content))
            self._steps.note(text, at=at, turn=self._turn, data={**data, "error": True})
            return
        turn = self._replies.get(message.id) if message.id else None
        if turn is None:
            turn = self._begin_reply(line, at, data)
        for block in _blocks_of(message.content):
            self._tell_block(block, at, turn, data)

    def _begin_reply(self, line: SpokenLine, at: float | None, data: Data) -> int:
        message = line.message
        self._turn += 1
        self._replies[message.id] = self._turn
        model, usage = self._usages.get(message.id, (message.model, None))
        known: Data = {**data, "stop": STOPS.get(message.stop_reason or "")}
        if self._is_stream:
            known["partial"] = True
        self._steps.model_call(model, usage, at=at, turn=self._turn, data=known)
        return self._turn

    def _tell_block(self, block: ClaudeBlock, at: float | None, turn: int, data: Data) -> None:
        if block.type == "text":
            self._steps.message("agent", block.text, at=at, turn=turn, data=data)
        elif block.type == "thinking":
            known = {**data, "reasoning": block.thinking}
            self._steps.message("agent", "", at=at, turn=turn, data=known)
        elif block.type == "tool_use":
            self._steps.call(block.id, block.name, block.input, at=at, turn=turn, data=data)

    def _tell_user(self, line: SpokenLine, at: float | None, data: Data) -> None:
        blocks = _blocks_of(line.message.content)
        if said := [block for block in blocks if block.type == "text"]:
            self._turn += 1
            text = "\n".join(block.text for block in said)
            known: Data = {**data, "by_program": line.is_meta or None}
            self._steps.message("user", text, at=at, turn=self._turn, data=known)
        for block in blocks:
            if block.type == "tool_result":
                self._tell_result(line, block, at, data)

    def _tell_result(
        self, line: SpokenLine, block: ClaudeBlock, at: float | None, data: Data
    ) -> None:
        output = _text_of(block.content)
        found = EXIT_CODE.match(output) if block.is_error else None
        code = int(found[1]) if found else (None if block.is_error else 0)
        is_good: JsonValue = not block.is_error
        known: Data = {"ok": is_good}
        if isinstance(line.tool_result, dict) and line.tool_result.get("interrupted"):
            known, code = known | {"ok": False, "interrupted": True}, None
        if not self._steps.result(block.tool_use_id, output, exit_code=code, data=known):
            self.told.append(f"the result of a call {block.tool_use_id!r} that is not there")
        if block.is_error and output.startswith(REFUSED_BY_PERSON):
            self._deny(block.tool_use_id, "person", at, data)

    def _tell_denials(self, line: ResultLine) -> None:
        for denial in line.permission_denials:
            self._deny(denial.tool_use_id, None, None, {})

    def _deny(self, call: str, by: str | None, at: float | None, data: Data) -> None:
        known: Data = {**data, "call": call, "decision": "reject", "by": by}
        self._steps.decision("rejected", at=at, turn=self._turn, data=known)


def _shape_of(value: dict[str, JsonValue]) -> type[ClaudeLine]:
    if value.get("type") in ("user", "assistant"):
        return SpokenLine
    return ResultLine if value.get("type") == "result" else ClaudeLine


def _is_of_stream(line: ClaudeLine) -> bool:
    return isinstance(line, ResultLine) or (line.type, line.subtype) == ("system", "init")


def _blocks_of(content: str | list[ClaudeBlock]) -> list[ClaudeBlock]:
    if isinstance(content, str):
        return [ClaudeBlock(type="text", text=content)] if content else []
    return content


def _text_of(content: str | list[dict[str, JsonValue]] | None) -> str:
    """The text of a result: whole, or the text of its parts."""
    if isinstance(content, list):
        return "\n".join(str(part.get("text") or f"[{part.get('type')}]") for part in content)
    return content or ""


def _counted(usage: ClaudeUsage) -> TokenUsage:
    return of_exclusive(
        usage.input_tokens,
        usage.output_tokens,
        cached=usage.cache_read_input_tokens or 0,
        cache_write=usage.cache_creation_input_tokens or 0,
    )


def _last_usages(lines: Sequence[ClaudeLine]) -> dict[str, tuple[str, TokenUsage | None]]:
    """The model and the tokens of each reply: every line of it repeats them, the last is right."""
    found: dict[str, tuple[str, TokenUsage | None]] = {}
    for line in lines:
        if isinstance(line, SpokenLine) and line.message.id:
            message = line.message
            before = found.get(message.id, ("", None))[1]
            usage = before if message.usage is None else _counted(message.usage)
            found[message.id] = (message.model, usage)
    return found
