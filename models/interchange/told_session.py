"""What exports tell of a session: one of the farm's own runs, or a recording from elsewhere."""

from dataclasses import dataclass, field
from typing import Literal

from pydantic import JsonValue

from models.schemas.model_call import TokenUsage, total_usage
from models.schemas.recording import Recording
from models.schemas.run_view import AttemptView, RunView
from models.schemas.transcript import Transcript, TranscriptStep


@dataclass(frozen=True)
class ToldSession:
    """A session with its steps, whose times are seconds since `started_at` (epoch seconds).

    `details` are what the farm has to say beside what the formats have fields for.
    """

    origin: Literal["farm", "imported"]
    session: str
    agent: str
    agent_version: str
    model: str
    started_at: float | None
    steps: tuple[TranscriptStep, ...]
    usage: TokenUsage | None = None
    cost_microusd: int | None = None
    details: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    kept: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])


def of_recording(recording: Recording) -> ToldSession:
    """An imported recording."""
    return ToldSession(
        origin="imported",
        session=recording.session,
        agent=recording.agent,
        agent_version=recording.agent_version,
        model=recording.models[0] if recording.models else "",
        started_at=recording.started_at,
        steps=recording.steps,
        usage=recording.usage,
        cost_microusd=recording.cost_microusd,
        details={"format": recording.format, "ending": recording.ending},
        kept=recording.kept,
    )


def of_run(run: RunView, attempt: AttemptView, transcript: Transcript) -> ToldSession:
    """One agent attempt of a run of the farm; it used what its calls used, if any is told."""
    details: dict[str, JsonValue] = {
        "run": run.id,
        "attempt": transcript.attempt_number,
        "campaign": run.campaign_id,
        "system_id": run.system_id,
        "task": run.task,
        "language": run.language,
        "repeat": run.repeat,
        "universe": run.universe,
        "stop_reason": transcript.stop_reason.value,
        "verdict": run.verdict.value if run.verdict else None,
    }
    calls = [step.data for step in transcript.steps if step.kind == "model_call"]
    models = (call.get("model") for call in calls)
    usages = [call["usage"] for call in calls if call.get("usage") is not None]
    return ToldSession(
        origin="farm",
        session=f"{run.campaign_id}/{run.id}/{transcript.attempt_number}",
        agent=transcript.system,
        agent_version=run.system_id,
        model=next((model for model in models if isinstance(model, str)), ""),
        started_at=attempt.started_at,
        steps=transcript.steps,
        usage=total_usage(map(TokenUsage.model_validate, usages)) if usages else None,
        cost_microusd=attempt.cost_microusd,
        details=details,
    )
