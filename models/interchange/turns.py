"""Steps in the groups that other formats know: a message, or a turn of the agent with its calls."""

from collections.abc import Iterator
from itertools import groupby

from models.interchange.step_list import Role
from models.interchange.told_session import ToldSession
from models.schemas.transcript import TranscriptStep

CALLS = frozenset({"command", "edit", "tool_call"})
ROLES: dict[object, Role] = {"system": "system", "user": "user"}

Turn = tuple[Role, list[TranscriptStep]]


def turns_of(session: ToldSession, lane: str | None = None) -> Iterator[Turn]:
    """The steps in `lane` that follow each other and belong together, with whose they are.

    Imported steps name their turn. Of the farm's own, a reply of the model begins one, and what
    was done without any reply stands for itself.
    """
    steps = [step for step in session.steps if step.data.get("lane") == lane]
    numbers = _named(steps) if session.origin == "imported" else _counted(steps)
    numbered = zip(numbers, steps, strict=True)
    for (_, side), found in groupby(numbered, key=lambda one: (one[0], side_of(one[1]))):
        yield side, [step for _, step in found]


def lanes_of(session: ToldSession) -> list[str]:
    """The subagents that did anything, by their first step."""
    lanes = (step.data.get("lane") for step in session.steps)
    return list(dict.fromkeys(lane for lane in lanes if isinstance(lane, str)))


def side_of(step: TranscriptStep) -> Role:
    """Whose step it is."""
    if step.kind == "message":
        return ROLES.get(step.data.get("role"), "agent")
    return "system" if step.kind in ("note", "limit") and not is_result(step) else "agent"


def is_result(step: TranscriptStep) -> bool:
    """Whether it tells what came of a turn, though of no call in it."""
    return step.kind == "note" and step.data.get("result") is True


def _named(steps: list[TranscriptStep]) -> Iterator[object]:
    for step in steps:
        # What only happened between two turns is no part of either.
        is_alone = step.kind == "note" and not is_result(step)
        yield ("alone", step.number) if is_alone else step.data.get("turn")


def _counted(steps: list[TranscriptStep]) -> Iterator[object]:
    number, has_reply = 0, False
    for step in steps:
        if step.kind == "model_call" or side_of(step) != "agent" or not has_reply:
            number += 1
            has_reply = step.kind == "model_call"
        yield number
