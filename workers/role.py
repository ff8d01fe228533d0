"""The roles of a worker."""

from enum import StrEnum


class Role(StrEnum):
    """What a worker does. Only the roles `grade` and `all` open the sealed half of a task."""

    AGENT = "agent"
    GRADE = "grade"
    ALL = "all"

    @property
    def stages(self) -> tuple[str, ...]:
        """The plain roles that this one stands for."""
        return ("agent", "grade") if self is Role.ALL else (self.value,)
