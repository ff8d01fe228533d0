"""Builds the steps of a recording in the order in which they happened."""

from typing import Literal

from pydantic import JsonValue

from models.interchange.tool_shapes import Arguments, shape_of
from models.schemas.model_call import TokenUsage
from models.schemas.transcript import StepKind, TranscriptStep

Role = Literal["system", "user", "agent"]
Data = dict[str, JsonValue]
MOST_CODE = 2**32
"""No system ends a program with a larger code, on any machine."""


class StepList:
    """Steps so far. Times are epoch seconds, None where the recording has none: then a step is
    as old as the one before it.

    The data of a step hold `turn`, the number of the message or reply that it belongs to, and
    `lane` where a subagent did it.
    """

    def __init__(self) -> None:
        self._steps: list[TranscriptStep] = []
        self._calls: dict[str, int] = {}
        self._latest = 0.0
        self.began: float | None = None

    def message(self, role: Role, text: str, *, at: float | None, turn: int, data: Data) -> None:
        """Something that was said."""
        self._add("message", text, at, {"turn": turn, "role": role, **data})

    def model_call(
        self, model: str, usage: TokenUsage | None, *, at: float | None, turn: int, data: Data
    ) -> int:
        """One reply of a model, as far as it is known: keys as those of a ModelCall.

        Returns its place, for `counted`.
        """
        counted: JsonValue = None if usage is None else usage.model_dump()
        known: Data = {"turn": turn, "model": model, "usage": counted, **data}
        self._add("model_call", model, at, known)
        return len(self._steps) - 1

    def counted(self, place: int, usage: TokenUsage) -> None:
        """What the reply at `place` used, where that is told after it."""
        step = self._steps[place]
        data: Data = {**step.data, "usage": usage.model_dump()}
        self._steps[place] = step.model_copy(update={"data": data})

    def call(
        self, call: str, name: str, args: Arguments, *, at: float | None, turn: int, data: Data
    ) -> None:
        """A tool that is used; `call` is the id by which its result names it."""
        shape = shape_of(name, args)
        known: Data = {"turn": turn, "call": call, "name": name, "args": args, **shape.data, **data}
        self._calls[call] = len(self._steps)
        self._add(shape.kind, shape.text, at, known)

    def result(
        self, call: str, output: str, *, exit_code: int | None = None, data: Data | None = None
    ) -> bool:
        """What came of a call; False where no such call is known. Only commands end with a code."""
        place = self._calls.get(call)
        if place is None:
            return False
        step = self._steps[place]
        known = _compact({**step.data, "answered": True, **(data or {})})
        is_code = step.kind == "command" and exit_code is not None and abs(exit_code) <= MOST_CODE
        code = exit_code if is_code else None
        update = {"output": output, "exit_code": code, "data": known}
        self._steps[place] = step.model_copy(update=update)
        return True

    def has_call(self, call: str) -> bool:
        """Whether a call of that id was seen."""
        return call in self._calls

    def decision(self, text: str, *, at: float | None, turn: int, data: Data) -> None:
        """Somebody, or a rule, let a call happen or not."""
        self._add("decision", text, at, {"turn": turn, **data})

    def note(self, text: str, *, at: float | None, turn: int, data: Data | None = None) -> None:
        """Something else that happened."""
        self._add("note", text, at, {"turn": turn, **(data or {})})

    def steps(self) -> tuple[TranscriptStep, ...]:
        """All of them, numbered from 1, with seconds since the first one."""
        return tuple(
            step.model_copy(update={"number": number}) for number, step in enumerate(self._steps, 1)
        )

    def _add(
        self,
        kind: StepKind,
        text: str,
        at: float | None,
        data: Data,
    ) -> None:
        if at is not None:
            self.began = at if self.began is None else self.began
            self._latest = max(self._latest, at - self.began)
        step = TranscriptStep(
            number=1, at=round(self._latest, 6), kind=kind, text=text, data=_compact(data)
        )
        self._steps.append(step)


def _compact(data: Data) -> Data:
    """Without what is not known."""
    return {name: value for name, value in data.items() if value is not None}
