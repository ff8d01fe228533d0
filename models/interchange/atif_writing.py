"""Sessions as ATIF documents, in the newest version.

What ATIF has no field for (exit codes, decisions, the two smaller counts of tokens) goes into
`extra`, below one key of the farm or under the names by which other tools look for it.
"""

from typing import cast

from pydantic import JsonValue

from models.interchange.atif_shapes import (
    VERSION,
    AtifAgent,
    AtifFinalMetrics,
    AtifMetrics,
    AtifObservation,
    AtifResult,
    AtifStep,
    AtifToolCall,
    AtifTrajectory,
    Extra,
)
from models.interchange.instants import iso_of
from models.interchange.step_list import Role
from models.interchange.token_counts import whole_input, whole_output
from models.interchange.told_session import ToldSession
from models.interchange.turns import CALLS, is_result, lanes_of, turns_of
from models.schemas.model_call import TokenUsage, total_usage
from models.schemas.transcript import TranscriptStep

OURS = "gradefarm"
CACHE_WRITE, REASONING = "cache_creation_input_tokens", "reasoning_output_tokens"
UNKNOWN = "unknown"
SAID = frozenset({"message", "note", "limit"})
KEPT = "atif"
"""Where imported steps and recordings keep what differs from what would be written."""

Document = dict[str, JsonValue]


def write_atif(session: ToldSession) -> Document:
    """The session as one document, with the trajectories of subagents in it."""
    agent = AtifAgent(
        name=session.agent,
        version=session.agent_version or UNKNOWN,
        model_name=session.model or None,
    )
    inner = [
        AtifTrajectory(
            schema_version=VERSION, trajectory_id=lane, agent=agent, steps=_steps(session, lane)
        )
        for lane in lanes_of(session)
    ]
    steps = _steps(session, None)
    details = {name: value for name, value in session.details.items() if value is not None}
    extra: Extra = {OURS: {"origin": session.origin, **details}}
    document = AtifTrajectory(
        schema_version=VERSION,
        session_id=session.session or None,
        agent=agent,
        steps=steps,
        final_metrics=_final_metrics(session, len(steps)),
        extra=extra,
        subagent_trajectories=inner or None,
    )
    return restored(dumped(document), session.kept.get(KEPT))


def atif_step(
    side: Role, steps: list[TranscriptStep], number: int, began: float | None
) -> AtifStep:
    """One step of a document from the steps of one turn."""
    said = [step for step in steps if step.kind in SAID and not is_result(step)]
    timestamp = None if began is None else iso_of(began + steps[0].at)
    step = AtifStep(
        step_id=number,
        timestamp=timestamp,
        source=side,
        message="\n".join(one.text for one in said if one.text),
    )
    if side != "agent":
        return step
    calls = [one for one in steps if one.kind in CALLS]
    replies = [one for one in steps if one.kind == "model_call"]
    thoughts = [one.data.get("reasoning") for one in steps if one.kind == "message"]
    update: dict[str, object] = {
        "model_name": next((name for one in replies if (name := model_of(one))), None),
        "reasoning_content": "\n".join(text for text in thoughts if isinstance(text, str)) or None,
        "tool_calls": [_tool_call(one, steps) for one in calls] or None,
        "observation": _observation(steps),
        "metrics": _metrics(replies),
        "llm_call_count": _reply_count(steps, replies),
    }
    return step.model_copy(update=update)


def model_of(step: TranscriptStep) -> str:
    """The model of a reply; its text may say more."""
    model = step.data.get("model")
    return model if isinstance(model, str) else ""


def dumped(shape: AtifTrajectory | AtifStep) -> Document:
    """A shape as JSON values, without the fields that it doesn't have."""
    return cast("Document", shape.model_dump(mode="json", exclude_none=True))


def restored(document: Document, kept: JsonValue) -> Document:
    """A document with the fields that were kept in place of its own; None takes one away."""
    if not isinstance(kept, dict):
        return document
    return {name: value for name, value in {**document, **kept}.items() if value is not None}


def _steps(session: ToldSession, lane: str | None) -> list[AtifStep]:
    found: list[AtifStep] = []
    for side, steps in turns_of(session, lane):
        step = atif_step(side, steps, len(found) + 1, session.started_at)
        kept = next((one.data[KEPT] for one in steps if KEPT in one.data), None)
        whole = {**restored(dumped(step), kept), "step_id": step.step_id}
        found.append(AtifStep.model_validate(whole))
    # A document holds at least one step.
    return found or [AtifStep(step_id=1, source="system", message="")]


def _reply_count(steps: list[TranscriptStep], replies: list[TranscriptStep]) -> int | None:
    """None where words came from a model that nobody counted."""
    has_words = any(step.kind == "message" for step in steps)
    return len(replies) if replies or not has_words else None


def _tool_call(step: TranscriptStep, steps: list[TranscriptStep]) -> AtifToolCall:
    arguments = step.data.get("args")
    own: Extra = {
        name: value for name, value in step.data.items() if name in ("path", "edit", "hunks")
    }
    call = _call_id(step)
    decisions: list[JsonValue] = [
        {name: one.data.get(name) for name in ("decision", "by", "scope") if name in one.data}
        for one in steps
        if one.kind == "decision" and one.data.get("call") == call
    ]
    extra: Extra = {OURS: {"decisions": decisions}} if decisions else {}
    return AtifToolCall(
        tool_call_id=call,
        function_name=str(step.data.get("name") or step.kind),
        arguments=arguments if isinstance(arguments, dict) else {"text": step.text, **own},
        extra=extra or None,
    )


def _observation(steps: list[TranscriptStep]) -> AtifObservation | None:
    results = [_result(step) for step in steps if step.kind in CALLS and _is_answered(step)]
    results += [AtifResult(content=step.text) for step in steps if is_result(step)]
    return AtifObservation(results=results) if results else None


def _result(step: TranscriptStep) -> AtifResult:
    ok = step.data.get("ok")
    told: Extra = {} if step.exit_code is None else {"exit_code": step.exit_code}
    if isinstance(ok, bool):
        told["ok"] = ok
    if step.output_artifact:
        told["output_artifact"] = step.output_artifact
    extra: Extra | None = {OURS: told} if told else None
    return AtifResult(source_call_id=_call_id(step), content=step.output, extra=extra)


def _is_answered(step: TranscriptStep) -> bool:
    return bool(step.data.get("answered") or step.output or step.exit_code is not None)


def _call_id(step: TranscriptStep) -> str:
    return str(step.data.get("call") or f"step-{step.number}")


def _metrics(replies: list[TranscriptStep]) -> AtifMetrics | None:
    usages = [usage for usage in map(usage_of, replies) if usage is not None]
    costs = [one.data.get("cost_microusd") for one in replies]
    known = [cost for cost in costs if isinstance(cost, int)]
    if not usages and not known:
        return None
    dollars = sum(known) / 1_000_000 if known else None
    if not usages:
        return AtifMetrics(cost_usd=dollars)
    usage = total_usage(usages)
    return AtifMetrics(
        prompt_tokens=whole_input(usage),
        completion_tokens=whole_output(usage),
        cached_tokens=usage.cache_read,
        cost_usd=dollars,
        extra=_smaller_counts(usage),
    )


def usage_of(step: TranscriptStep) -> TokenUsage | None:
    """What a model call used, None where nobody knows the whole of it."""
    usage = step.data.get("usage")
    return None if usage is None or step.data.get("partial") else TokenUsage.model_validate(usage)


def _smaller_counts(usage: TokenUsage) -> Extra | None:
    counts = {CACHE_WRITE: usage.cache_write, REASONING: usage.reasoning}
    return {name: count for name, count in counts.items() if count} or None


def _final_metrics(session: ToldSession, steps: int) -> AtifFinalMetrics:
    usage, cost = session.usage, session.cost_microusd
    return AtifFinalMetrics(
        total_prompt_tokens=None if usage is None else whole_input(usage),
        total_completion_tokens=None if usage is None else whole_output(usage),
        total_cached_tokens=None if usage is None else usage.cache_read,
        total_cost_usd=None if cost is None else cost / 1_000_000,
        total_steps=steps,
        extra=None if usage is None else _smaller_counts(usage),
    )
