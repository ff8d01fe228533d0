"""Every turn of a recorded agent has one fate."""

from models.interchange.claude_code import read_claude_code
from models.interchange.codex_exec import read_codex_exec
from models.interchange.reply_fates import fates_of
from models.schemas.transcript import Fate, StepKind, TranscriptStep
from tests.unit.models.test_interchange_reading import golden


def step(turn: int, kind: StepKind, text: str = "", **data: str) -> TranscriptStep:
    return TranscriptStep(number=1, at=0.0, kind=kind, text=text, data={"turn": turn, **data})


def test_turns_of_real_agents_are_acted_on() -> None:
    for found in (
        read_claude_code([golden("claude-code.jsonl")]),
        read_codex_exec([golden("codex-exec.jsonl")]),
    ):
        assert fates_of(found.steps) == {Fate.ACTED_ON: 4}


def test_what_broke_off_was_refused_or_is_empty_is_told_apart() -> None:
    steps = [
        step(1, "message", "do it", role="user"),
        step(2, "model_call", "m", stop="length"),
        step(2, "message", "I was abo"),
        step(3, "model_call", "m", stop="refusal"),
        step(4, "model_call", "m", stop="stop"),
        step(5, "model_call", "m", stop="length"),
        step(5, "command", "ls"),
    ]
    assert fates_of(steps) == {
        Fate.TRUNCATED: 1,
        Fate.REFUSED: 1,
        Fate.EMPTY: 1,
        Fate.ACTED_ON: 1,
    }
