"""The lines of Codex: of its rollout files, and of what `codex exec --json` prints."""

from pydantic import Field, JsonValue

from models.interchange.foreign_values import Count
from models.interchange.source_file import Foreign
from models.interchange.token_counts import of_inclusive
from models.schemas.model_call import TokenUsage


class CodexUsage(Foreign):
    """Tokens of one reply, of a turn or of a session. Cached ones are part of the input."""

    input_tokens: Count = 0
    cached_input_tokens: Count = 0
    cache_write_input_tokens: Count = 0
    output_tokens: Count = 0
    reasoning_output_tokens: Count = 0

    def counted(self) -> TokenUsage:
        """The farm's counts."""
        return of_inclusive(
            self.input_tokens,
            self.output_tokens,
            cached=self.cached_input_tokens,
            cache_write=self.cache_write_input_tokens,
            reasoning=self.reasoning_output_tokens,
        )


class RolloutLine(Foreign):
    """One line of a rollout file; what `payload` holds goes by `type`."""

    type: str
    timestamp: str | None = None
    payload: dict[str, JsonValue] = Field(default_factory=dict)


class SessionMeta(Foreign):
    """The first line of a session."""

    id: str = ""
    cli_version: str = ""


class TurnContext(Foreign):
    """With which model, and with whose leave, a turn is made."""

    model: str = ""
    approval_policy: JsonValue = None


class Part(Foreign):
    """A part of a message or of a summary."""

    type: str = ""
    text: str = ""


class ShellAction(Foreign):
    """What a `local_shell_call` runs."""

    command: list[str] = Field(default_factory=list[str])


class ResponseItem(Foreign):
    """A message, a reasoning, a call, or what came of it."""

    type: str
    role: str = ""
    content: list[Part] | str | None = None
    summary: list[Part] = Field(default_factory=list[Part])
    name: str = ""
    call_id: str | None = ""
    arguments: str = ""
    input: str = ""
    action: ShellAction = Field(default_factory=ShellAction)
    output: JsonValue = None


class TokenInfo(Foreign):
    """Sums so far, and those of the last reply."""

    total_token_usage: CodexUsage
    last_token_usage: CodexUsage = Field(default_factory=CodexUsage)


class TokenCount(Foreign):
    """The event `token_count`; without `info` it is about rate limits."""

    info: TokenInfo | None = None


class UsageRecord(Foreign):
    """The line `token_usage_record` that newer versions write at the end of each reply."""

    usage: CodexUsage
    thread_token_usage: CodexUsage | None = None


class ExecItem(Foreign):
    """What `exec --json` tells of: something said, thought, run or changed."""

    id: str = ""
    type: str
    text: str = ""
    message: str = ""
    command: str = ""
    aggregated_output: str = ""
    exit_code: int | None = None
    status: str = ""
    changes: list[dict[str, JsonValue]] = Field(default_factory=list[dict[str, JsonValue]])
    server: str = ""
    tool: str = ""
    arguments: JsonValue = None
    result: JsonValue = None
    error: JsonValue = None
    query: str = ""


class ExecLine(Foreign):
    """One line of `exec --json`."""

    type: str
    thread_id: str = ""
    item: ExecItem | None = None
    usage: CodexUsage | None = None
    error: JsonValue = None
    message: str = ""
