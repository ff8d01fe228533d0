"""What every agent is to the farm: something that works on a folder until it stops."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from models.schemas.language import LanguageDefinition
from models.schemas.run import RunOrder
from models.schemas.task import PublicHalf, SealedHalf
from models.schemas.transcript import Fate, TranscriptStep
from models.verdicts import StopReason
from workers.agents.agent_shell import AgentShell
from workers.agents.developer_tests import DeveloperTests
from workers.agents.model_needs import ModelAccess, ModelNeeds


@dataclass(frozen=True, slots=True)
class AgentContext:
    """All that an agent is given: nothing in it was touched by an earlier run.

    `folder` holds the starter and is frozen afterwards. `shell` runs programs on it in a
    sandbox; it is None for agents that don't ask for one, as `tests` is, and `model` for those
    that need no language model. `sealed` raises Refused where the worker doesn't hold the sealed
    half. `artifact` reads what is kept; it raises NotFound where this worker finds no such thing.
    """

    order: RunOrder
    public: PublicHalf
    language: LanguageDefinition
    folder: Path
    shell: AgentShell | None
    sealed: Callable[[], SealedHalf]
    artifact: Callable[[str], bytes]
    model: ModelAccess | None = None
    tests: DeveloperTests | None = None


@dataclass(frozen=True, slots=True)
class AgentEnding:
    """Why the agent stopped, and what it did as the trusted side saw it.

    `cost_microusd` and `tokens` are what its language model used: 0 where none takes part, None
    where nobody could count; where the gateway counted, its figures stand instead. `fates`,
    `first_solved_turn` and `measured` as in a transcript.
    """

    stop_reason: StopReason
    steps: tuple[TranscriptStep, ...]
    cost_microusd: int | None = 0
    tokens: int | None = 0
    fates: Mapping[Fate, int] | None = None
    first_solved_turn: int | None = None
    measured: bool = False


class AgentAdapter(Protocol):
    """One kind of agent with its settings. Keeps nothing from one run to the next."""

    @property
    def needs_shell(self) -> bool:
        """Whether it runs anything: only trusted agents that don't may write by themselves."""
        ...

    @property
    def model_needs(self) -> ModelNeeds | None:
        """The language models that it asks, None where it asks none."""
        ...

    def run(self, context: AgentContext) -> AgentEnding:
        """Work until done or until a limit is reached.

        Raises Infrastructure where the farm failed, StageStopped when it is to stop at once.
        """
        ...
