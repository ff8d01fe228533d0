"""What `codex exec --json` prints: what was said, run and changed, and the tokens of each turn."""

import json
import re
from collections.abc import Sequence
from typing import cast

from pydantic import JsonValue

from models.interchange.codex_lines import ExecItem, ExecLine
from models.interchange.source_file import Reading, SourceFile
from models.interchange.step_list import StepList
from models.interchange.tool_shapes import Arguments
from models.schemas.model_call import TokenUsage, total_usage
from models.schemas.recording import Recording, RecordingFormat

SHELL = re.compile(r"(?:\S*/)?(?:ba|da|z)?sh -l?c ")


def read_codex_exec(files: Sequence[SourceFile]) -> Recording:
    """The session in the one file that there is. Raises InvalidInput.

    It tells neither times nor single replies of the model, nor which one it was.
    """
    reading = Reading(files[0])
    session = _Session()
    for number, value in reading.lines():
        line = reading.shaped(value, ExecLine, f"line {number}")
        if line is not None:
            session.take(line)
    if not session.thread and not reading.faults:
        reading.fault("the file", "holds no line `thread.started`, with which they begin")
    reading.finish()
    return session.recording(reading)


class _Session:
    def __init__(self) -> None:
        self.thread = ""
        self._steps = StepList()
        self._usages: list[TokenUsage] = []
        self._turn = 0
        self._has_acted = True
        self._ending = ""

    def recording(self, reading: Reading) -> Recording:
        """All that the lines came to."""
        return Recording(
            format=RecordingFormat.CODEX_EXEC,
            agent="codex",
            session=self.thread,
            ending=self._ending,
            usage=total_usage(self._usages) if self._usages else None,
            steps=self._steps.steps(),
            told=tuple(reading.told),
        )

    def take(self, line: ExecLine) -> None:
        """Tell what one line says."""
        self.thread = self.thread or line.thread_id
        if line.type in ("turn.completed", "turn.failed"):
            self._ending = line.type
        if line.usage is not None:
            self._usages.append(line.usage.counted())
        if line.type in ("turn.failed", "error"):
            text = line.message or json.dumps(line.error, ensure_ascii=False)
            self._steps.note(text, at=None, turn=self._turn, data={"error": True})
        if line.type == "item.completed" and line.item is not None:
            self._take_item(line.item)

    def _take_item(self, item: ExecItem) -> None:
        if item.type in ("agent_message", "reasoning"):
            self._turn += self._has_acted
            self._has_acted = False
            thought = item.text if item.type == "reasoning" else None
            text = item.text if thought is None else ""
            data: dict[str, JsonValue] = {"reasoning": thought}
            self._steps.message("agent", text, at=None, turn=self._turn, data=data)
        elif item.type == "error":
            self._steps.note(item.message, at=None, turn=self._turn, data={"error": True})
        else:
            self._take_call(item)

    def _take_call(self, item: ExecItem) -> None:
        self._has_acted = True
        name, args, output = _call_of(item)
        self._steps.call(item.id, name, args, at=None, turn=self._turn, data={})
        is_good = item.status not in ("failed", "declined") and not item.error
        self._steps.result(item.id, output, exit_code=item.exit_code, data={"ok": is_good})
        if item.status == "declined":
            decided: dict[str, JsonValue] = {"call": item.id, "decision": "reject"}
            self._steps.decision("rejected", at=None, turn=self._turn, data=decided)


def _call_of(item: ExecItem) -> tuple[str, Arguments, str]:
    """Name, arguments and output of what was done."""
    match item.type:
        case "command_execution":
            return "shell", {"command": _unwrapped(item.command)}, item.aggregated_output
        case "file_change":
            return "file_change", {"changes": cast("JsonValue", item.changes)}, ""
        case "mcp_tool_call":
            args: Arguments = (
                item.arguments if isinstance(item.arguments, dict) else {"value": item.arguments}
            )
            told = item.result if item.error is None else item.error
            return f"{item.server}.{item.tool}", args, json.dumps(told, ensure_ascii=False)
        case "web_search":
            return "web_search", {"query": item.query}, ""
        case other:
            return other, {}, item.text


def _unwrapped(command: str) -> str:
    """The command without the shell that Codex puts around it."""
    found = SHELL.match(command)
    if found is None:
        return command
    inner = command[found.end() :]
    is_quoted = len(inner) > 1 and inner[0] == inner[-1] == "'"
    return inner[1:-1].replace("'\\''", "'") if is_quoted else inner
