"""What ATIF asks beyond the shapes of its fields: each breach with its place."""

from collections.abc import Iterator

from models.interchange.atif_shapes import VERSIONS, AtifPart, AtifStep, AtifTrajectory
from models.interchange.instants import epoch_of

Breach = tuple[str, str]
AGENT_ONLY = ("model_name", "reasoning_effort", "reasoning_content", "tool_calls", "metrics")
MODEL_ONLY = ("metrics", "reasoning_content")


def breaches_of(trajectory: AtifTrajectory, where: str = "") -> Iterator[Breach]:
    """Every rule that a trajectory, or one within it, breaks: where, and how."""
    if trajectory.schema_version not in VERSIONS:
        yield f"{where}schema_version", f"{trajectory.schema_version!r} is not known"
    for index, step in enumerate(trajectory.steps):
        place = f"{where}steps.{index}."
        if step.step_id != index + 1:
            yield f"{place}step_id", f"is {step.step_id} and should be {index + 1}"
        yield from _step_breaches(step, place)
    seen: set[str] = set()
    for index, inner in enumerate(trajectory.subagent_trajectories or ()):
        place = f"{where}subagent_trajectories.{index}."
        if not inner.trajectory_id or inner.trajectory_id in seen:
            yield f"{place}trajectory_id", "is missing, or that of another subagent"
        seen.add(inner.trajectory_id or "")
        yield from breaches_of(inner, place)


def _step_breaches(step: AtifStep, place: str) -> Iterator[Breach]:
    if step.timestamp is not None and epoch_of(step.timestamp) is None:
        yield f"{place}timestamp", f"{step.timestamp!r} is no time in ISO 8601"
    unfit = AGENT_ONLY if step.source != "agent" else ()
    for field in unfit:
        if getattr(step, field) is not None:
            yield f"{place}{field}", f"is for steps of an agent, not of the {step.source}"
    if step.source == "agent" and step.llm_call_count == 0:
        for field in MODEL_ONLY:
            if getattr(step, field) is not None:
                yield f"{place}{field}", "can't be there where llm_call_count is 0"
    if isinstance(step.message, list):
        yield from _part_breaches(step.message, f"{place}message.")
    yield from _result_breaches(step, place)


def _result_breaches(step: AtifStep, place: str) -> Iterator[Breach]:
    calls = {call.tool_call_id for call in step.tool_calls or ()}
    for index, result in enumerate(step.observation.results if step.observation else ()):
        inner = f"{place}observation.results.{index}."
        if result.source_call_id is not None and result.source_call_id not in calls:
            yield f"{inner}source_call_id", f"{result.source_call_id!r} is no call of this step"
        if isinstance(result.content, list):
            yield from _part_breaches(result.content, f"{inner}content.")
        for number, ref in enumerate(result.subagent_trajectory_ref or ()):
            if ref.trajectory_id is None and ref.trajectory_path is None:
                where = f"{inner}subagent_trajectory_ref.{number}"
                yield where, "names neither trajectory_id nor trajectory_path"


def _part_breaches(parts: list[AtifPart], place: str) -> Iterator[Breach]:
    for index, part in enumerate(parts):
        is_text = part.type == "text"
        if is_text is (part.text is None) or is_text is (part.source is not None):
            has = "text and no source" if is_text else "a source and no text"
            yield f"{place}{index}", f"of type {part.type} should have {has}"
