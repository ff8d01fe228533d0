"""How each known command-line agent is started in the sandbox, and in which format it tells.

Each finds its gateway, its key and its home in its environment, writes its transcript to standard
output, reports to nobody, and looks for no newer version of itself.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from models.schemas.preset_settings import PresetName, PresetSettings
from models.schemas.recording import RecordingFormat

HOME = "/tmp/agent-home"
SCRIPT = """mkdir -p "$HOME"
{start}
code=$?
{after}exit "$code"
"""
LOOK = 'command -v "$0"'
"""Asks for the program `$0` before anything of it runs, which could answer as it likes."""


@dataclass(frozen=True, slots=True)
class Preset:
    """One program. In the values of `env`, {url}, {key} and {model} stand for what a run has."""

    program: str
    wire: Literal["openai", "anthropic"]
    start: str
    env: Mapping[str, str]
    transcript: RecordingFormat
    after: str = ""

    @property
    def script(self) -> str:
        """What the sandbox's shell is given; the ticket is on its standard input."""
        return SCRIPT.format(start=self.start, after=self.after)


PRESETS: dict[PresetName, Preset] = {
    PresetName.CLAUDE_CODE: Preset(
        program="claude",
        wire="anthropic",
        start='"$GRADEFARM_PROGRAM" -p --model "$GRADEFARM_MODEL" --output-format stream-json '
        "--verbose --dangerously-skip-permissions",
        env={
            "ANTHROPIC_BASE_URL": "{url}",
            "ANTHROPIC_API_KEY": "{key}",
            "ANTHROPIC_SMALL_FAST_MODEL": "{model}",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "DISABLE_TELEMETRY": "1",
            "IS_SANDBOX": "1",
        },
        transcript=RecordingFormat.CLAUDE_CODE_STREAM,
    ),
    PresetName.CODEX: Preset(
        program="codex",
        wire="openai",
        start='mkdir -p "$CODEX_HOME"\n'
        '"$GRADEFARM_PROGRAM" exec --json --skip-git-repo-check '
        '--dangerously-bypass-approvals-and-sandbox --model "$GRADEFARM_MODEL" '
        "-c model_provider=farm -c model_providers.farm.name=farm "
        '-c "model_providers.farm.base_url=\\"$OPENAI_BASE_URL\\"" '
        "-c model_providers.farm.env_key=OPENAI_API_KEY "
        "-c model_providers.farm.wire_api=responses -c web_search=disabled "
        "-c features.multi_agent=false -c analytics.enabled=false "
        "-c check_for_update_on_startup=false -",
        env={
            "OPENAI_BASE_URL": "{url}",
            "OPENAI_API_KEY": "{key}",
            "CODEX_HOME": f"{HOME}/codex",
        },
        transcript=RecordingFormat.CODEX_EXEC,
    ),
    PresetName.MINI_SWE_AGENT: Preset(
        program="mini",
        wire="openai",
        start='"$GRADEFARM_PROGRAM" --model "openai/$GRADEFARM_MODEL" --task "$(cat)" --yolo '
        "--exit-immediately --cost-limit 0 --output /tmp/trajectory.json </dev/null >/dev/null",
        after="cat /tmp/trajectory.json\n",
        env={
            "OPENAI_BASE_URL": "{url}",
            "OPENAI_API_BASE": "{url}",
            "OPENAI_API_KEY": "{key}",
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            "MSWEA_CONFIGURED": "true",
            "MSWEA_COST_TRACKING": "ignore_errors",
            "MSWEA_GLOBAL_CONFIG_DIR": f"{HOME}/mini-swe-agent",
            "MSWEA_SILENT_STARTUP": "1",
        },
        transcript=RecordingFormat.MINI_SWE_AGENT,
    ),
    PresetName.AIDER: Preset(
        program="aider",
        wire="openai",
        # It sees no file that it is not given; and there is no later message to summarise for.
        start="cat >/tmp/ticket.md\n"
        "find . -type f -size -64k -not -path '*/.*' -print0 | sort -z | head -z -n 200 | "
        'xargs -0 "$GRADEFARM_PROGRAM" --model "openai/$GRADEFARM_MODEL" '
        "--message-file /tmp/ticket.md --max-chat-history-tokens 1000000 "
        "--yes-always --no-git --no-gitignore --no-pretty --no-fancy-input --no-detect-urls "
        "--no-suggest-shell-commands --no-check-update --no-show-release-notes "
        "--no-show-model-warnings --analytics-disable --input-history-file /dev/null "
        "--chat-history-file /tmp/chat.md >/dev/null",
        after="cat /tmp/chat.md\n",
        env={
            "OPENAI_API_BASE": "{url}",
            "OPENAI_API_KEY": "{key}",
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        },
        transcript=RecordingFormat.AIDER,
    ),
}


def environment(settings: PresetSettings, *, url: str, key: str) -> dict[str, str]:
    """What the program of `settings` finds in its environment; `key` is of this run alone."""
    preset = PRESETS[settings.preset]
    known = {"{url}": url, "{key}": key, "{model}": settings.model}
    own = {name: known.get(value, value) for name, value in preset.env.items()}
    return {
        "HOME": HOME,
        "GRADEFARM_PROGRAM": settings.program or preset.program,
        "GRADEFARM_MODEL": settings.model,
        **own,
    }
