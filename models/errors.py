"""The one error root. A message says what is wrong, where, and what to do about it."""

from enum import StrEnum

from models.counted_nouns import counted


class Blame(StrEnum):
    """Which part of the farm, or of its surroundings, an error speaks about."""

    USER = "user"
    SYSTEM = "system"
    TASK = "task"
    FARM = "farm"


class FarmError(Exception):
    """Root of all errors that the farm raises on purpose.

    `remedy` is a sentence in the imperative; `retryable` says whether the same call may go
    through later without a change.
    """

    blame: Blame = Blame.FARM
    retryable: bool = False
    exit_code: int = 1

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}".strip()


class InvalidInput(FarmError):
    """A file or an argument that a person wrote is wrong; lists every fault at once."""

    blame = Blame.USER
    exit_code = 2

    def __init__(self, source: str, faults: "list[InputFault]") -> None:
        self.source = source
        self.faults = faults
        lines = [f"{source}: {counted(len(faults), 'fault')}"]
        lines += [f"  {fault}" for fault in faults]
        super().__init__("\n".join(lines))


class InputFault:
    """One fault of an input: the field (dotted path or line), what is wrong, the remedy."""

    def __init__(self, field: str, problem: str, remedy: str) -> None:
        self.field = field
        self.problem = problem
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.field}: {self.problem} -> {self.remedy}"

    def as_json(self) -> dict[str, str]:
        """The fault as a JSON object with the keys field, problem, remedy."""
        return {"field": self.field, "problem": self.problem, "remedy": self.remedy}


class NotFound(FarmError):
    """Something was named that the farm does not hold."""

    blame = Blame.USER
    exit_code = 3


class Refused(FarmError):
    """The farm will not do it, and the message says which promise stands against it."""

    blame = Blame.USER
    exit_code = 4


class Infrastructure(FarmError):
    """The farm could not do its part; ends an attempt as void, never a run as failed."""

    blame = Blame.FARM
    retryable = True
    exit_code = 5

    def __init__(self, category: str, message: str, *, remedy: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.category = category


class LeaseLost(FarmError):
    """A worker wrote, or tried to write, under a token that is no longer the run's."""

    blame = Blame.FARM
