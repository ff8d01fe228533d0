"""ATIF documents, as recordings."""

from collections.abc import Sequence
from typing import cast

from models.interchange.atif_rules import breaches_of
from models.interchange.atif_shapes import (
    AtifMetrics,
    AtifResult,
    AtifStep,
    AtifTrajectory,
    Content,
    Extra,
)
from models.interchange.atif_writing import (
    CACHE_WRITE,
    KEPT,
    OURS,
    REASONING,
    UNKNOWN,
    Document,
    atif_step,
    dumped,
    write_atif,
)
from models.interchange.instants import epoch_of
from models.interchange.source_file import Reading, SourceFile
from models.interchange.step_list import Data, StepList
from models.interchange.token_counts import microusd, of_inclusive
from models.interchange.told_session import of_recording
from models.schemas.model_call import TokenUsage
from models.schemas.recording import Recording, RecordingFormat
from models.schemas.transcript import TranscriptStep


def read_atif(files: Sequence[SourceFile]) -> Recording:
    """The recording in the one file that there is. Raises InvalidInput.

    Whatever `write_atif` would write otherwise is kept, so that it gives the document back.
    """
    reading = Reading(files[0])
    trajectory = reading.shaped(reading.document(), AtifTrajectory, "")
    for where, problem in () if trajectory is None else breaches_of(trajectory):
        reading.fault(where, problem, "mend the document; the format's rules say how")
    reading.finish()
    assert trajectory is not None, "a trajectory without faults was read"
    recording = _recording(trajectory, files[0])
    kept = _differences(dumped(trajectory), write_atif(of_recording(recording)))
    return recording.model_copy(update={"kept": {KEPT: kept} if kept else {}})


def _recording(trajectory: AtifTrajectory, file: SourceFile) -> Recording:
    steps = StepList()
    told: list[str] = []
    _tell(steps, trajectory, None, told)
    agent, final = trajectory.agent, trajectory.final_metrics
    models = [agent.model_name, *(step.model_name for step in trajectory.steps)]
    return Recording(
        format=RecordingFormat.ATIF,
        format_version=trajectory.schema_version,
        agent=agent.name,
        agent_version="" if agent.version == UNKNOWN else agent.version,
        models=tuple(dict.fromkeys(model for model in models if model)),
        session=trajectory.session_id or trajectory.trajectory_id or file.name,
        started_at=steps.began,
        usage=_final_usage(trajectory),
        cost_microusd=None if final is None else microusd(final.total_cost_usd),
        steps=_with_differences(steps, trajectory),
        told=tuple(told),
    )


def _tell(steps: StepList, trajectory: AtifTrajectory, lane: str | None, told: list[str]) -> None:
    default = trajectory.agent.model_name or ""
    for step in trajectory.steps:
        at, data = epoch_of(step.timestamp), cast("Data", {"lane": lane})
        if step.source == "agent":
            _tell_turn(steps, step, default, data)
        else:
            text = _text_of(step.message)
            steps.message(step.source, text, at=at, turn=step.step_id, data=data)
        if step.is_copied_context:
            told.append(f"step {step.step_id} was copied from an earlier trajectory")
    for inner in trajectory.subagent_trajectories or ():
        _tell(steps, inner, inner.trajectory_id, told)


def _tell_turn(steps: StepList, step: AtifStep, default: str, data: Data) -> None:
    at, turn = epoch_of(step.timestamp), step.step_id
    if step.llm_call_count != 0:
        cost = microusd(step.metrics.cost_usd) if step.metrics else None
        known: Data = {**data, "cost_microusd": cost}
        usage = None if step.metrics is None else _usage_of(step.metrics)
        steps.model_call(step.model_name or default, usage, at=at, turn=turn, data=known)
    text = _text_of(step.message)
    if text or step.reasoning_content or not (step.tool_calls or step.llm_call_count != 0):
        known = {**data, "reasoning": step.reasoning_content}
        steps.message("agent", text, at=at, turn=turn, data=known)
    for call in step.tool_calls or ():
        name, args = call.function_name, call.arguments
        steps.call(call.tool_call_id, name, args, at=at, turn=turn, data=data)
        for decision in _decisions_of(call.extra):
            known = {**data, "call": call.tool_call_id, **decision}
            steps.decision(str(decision.get("decision", "")), at=at, turn=turn, data=known)
    for result in step.observation.results if step.observation else ():
        if result.source_call_id is None:
            known = {**data, "result": True}
            steps.note(_text_of(result.content), at=at, turn=turn, data=known)
        else:
            code, known = _ending_of(result)
            text = _text_of(result.content)
            steps.result(result.source_call_id, text, exit_code=code, data=known)


def _ending_of(result: AtifResult) -> tuple[int | None, Data]:
    """The exit code, and whether the call went well, where the farm told them."""
    own = (result.extra or {}).get(OURS)
    told: Extra = own if isinstance(own, dict) else {}
    code = told.get("exit_code")
    known: Data = {"ok": told.get("ok")}
    return code if isinstance(code, int) else None, known


def _decisions_of(extra: Extra | None) -> list[Extra]:
    own = (extra or {}).get(OURS)
    found = own.get("decisions") if isinstance(own, dict) else None
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _usage_of(metrics: AtifMetrics) -> TokenUsage | None:
    if metrics.prompt_tokens is None and metrics.completion_tokens is None:
        return None
    return of_inclusive(
        metrics.prompt_tokens or 0,
        metrics.completion_tokens or 0,
        cached=metrics.cached_tokens or 0,
        cache_write=_count_in(metrics.extra, CACHE_WRITE),
        reasoning=_count_in(metrics.extra, REASONING),
    )


def _final_usage(trajectory: AtifTrajectory) -> TokenUsage | None:
    final = trajectory.final_metrics
    if final is None or (final.total_prompt_tokens, final.total_completion_tokens) == (None, None):
        return None
    return of_inclusive(
        final.total_prompt_tokens or 0,
        final.total_completion_tokens or 0,
        cached=final.total_cached_tokens or 0,
        cache_write=_count_in(final.extra, CACHE_WRITE),
        reasoning=_count_in(final.extra, REASONING),
    )


def _count_in(extra: Extra | None, name: str) -> int:
    count = (extra or {}).get(name)
    return count if isinstance(count, int) and count > 0 else 0


def _with_differences(steps: StepList, trajectory: AtifTrajectory) -> tuple[TranscriptStep, ...]:
    """The steps, the first of each turn with what an export would write otherwise."""
    found = list(steps.steps())
    for step in trajectory.steps:
        places = [
            place
            for place, one in enumerate(found)
            if one.data.get("turn") == step.step_id and "lane" not in one.data
        ]
        turn = [found[place] for place in places]
        written = dumped(atif_step(step.source, turn, step.step_id, steps.began))
        kept = _differences(dumped(step), written)
        if kept:
            first = found[places[0]]
            update = {"data": {**first.data, KEPT: kept}}
            found[places[0]] = first.model_copy(update=update)
    return tuple(found)


def _differences(wanted: Document, written: Document) -> Document:
    """Each field of `wanted` that is not so in `written`, and None for what is only there."""
    names = dict.fromkeys((*wanted, *written))
    differing = (name for name in names if wanted.get(name) != written.get(name))
    return {name: wanted.get(name) for name in differing}


def _text_of(content: Content | None) -> str:
    if isinstance(content, list):
        return "\n".join(
            part.text if part.text is not None else f"[{part.type}]" for part in content
        )
    return content or ""
