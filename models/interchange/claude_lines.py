"""The lines of Claude Code: of its transcripts, and of its output format `stream-json`."""

from pydantic import AliasChoices, Field, JsonValue

from models.interchange.foreign_values import Count, Dollars
from models.interchange.source_file import Foreign


class ClaudeUsage(Foreign):
    """Tokens of one reply, or of a session. `input_tokens` counts nothing that was cached."""

    input_tokens: Count = 0
    output_tokens: Count = 0
    cache_read_input_tokens: Count | None = 0
    cache_creation_input_tokens: Count | None = 0


class ClaudeBlock(Foreign):
    """A part of a message: text, thinking, tool_use, tool_result, or something without a word."""

    type: str
    text: str = ""
    thinking: str = ""
    id: str = ""
    name: str = ""
    input: dict[str, JsonValue] = Field(default_factory=dict)
    tool_use_id: str = ""
    content: str | list[dict[str, JsonValue]] | None = None
    is_error: bool | None = None


class ClaudeMessage(Foreign):
    """What was said. A reply comes in several lines, one for each block, under one `id`."""

    id: str = ""
    model: str = ""
    content: str | list[ClaudeBlock] = ""
    stop_reason: str | None = None
    usage: ClaudeUsage | None = None


class ClaudeLine(Foreign):
    """One line, of whatever type: most types hold nothing that is said or done."""

    type: str
    subtype: str = ""
    uuid: str = ""
    session: str = Field(default="", validation_alias=AliasChoices("sessionId", "session_id"))
    timestamp: str | None = None
    version: str = Field(
        default="", validation_alias=AliasChoices("version", "claude_code_version")
    )
    is_sidechain: bool = Field(default=False, alias="isSidechain")
    is_meta: bool = Field(default=False, alias="isMeta")
    is_error_message: bool = Field(default=False, alias="isApiErrorMessage")
    agent: str | None = Field(default=None, alias="agentId")
    parent_call: str | None = Field(default=None, alias="parent_tool_use_id")
    mode: str | None = Field(default=None, alias="permissionMode")
    tool_result: JsonValue = Field(
        default=None, validation_alias=AliasChoices("toolUseResult", "tool_use_result")
    )
    content: JsonValue = None

    @property
    def lane(self) -> str | None:
        """The subagent that the line is from, None for the session itself."""
        return self.agent or self.parent_call or ("sidechain" if self.is_sidechain else None)


class SpokenLine(ClaudeLine):
    """A line with a message in it."""

    message: ClaudeMessage


class Denial(Foreign):
    """A call that was not permitted."""

    tool_name: str = ""
    tool_use_id: str = ""


class ResultLine(ClaudeLine):
    """The last line of a stream: what the session came to."""

    is_error: bool = False
    total_cost_usd: Dollars | None = None
    usage: ClaudeUsage | None = None
    terminal_reason: str = ""
    permission_denials: list[Denial] = Field(default_factory=list[Denial])
