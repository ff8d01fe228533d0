"""What the developer test command says of a workspace, asked by the farm and not by the agent."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class TestedState:
    """One state of a workspace: `state` names its content, `green` says that all visible tests
    passed, `output` is what they printed. `by_force`: a limit ended them, so that they may say
    something else another time."""

    state: str
    green: bool
    output: str
    by_force: bool = False


class DeveloperTests(Protocol):
    """Runs the visible tests on what a workspace holds now, with the task's own test files."""

    @property
    def free_s(self) -> float:
        """Seconds of asking that the agent's clock still stands still for; below 0 where they are
        used up."""
        ...

    def state(self) -> str:
        """The name of what the workspace holds now; empty where it is over its limit. Cheap."""
        ...

    def ask(self) -> TestedState:
        """The present state; one whose tests came to an end by themselves is not tested again.

        Changes nothing in the workspace, and uses up no limit of the agent's but the time beyond
        `free_s`. Raises Infrastructure where the farm failed, StageStopped when the stage is to end
        at once.
        """
        ...
