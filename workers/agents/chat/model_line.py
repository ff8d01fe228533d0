"""What the gateway counted of one run so far, and the clock that stands still while it waits."""

from models.schemas.model_call import GrantReport
from workers.agents.agent_shell import AgentShell
from workers.agents.call_steps import note_calls
from workers.agents.chat.judging import Spent
from workers.agents.model_needs import ModelAccess, ModelNeeds


class OutOfTime(Exception):
    """The wall clock's budget ended while the model was asked."""


class ModelLine:
    """The line to the model of one run. `caps` is what the run may use."""

    def __init__(self, access: ModelAccess, shell: AgentShell, caps: ModelNeeds) -> None:
        self._access = access
        self._shell = shell
        self._caps = caps
        self._report = GrantReport()

    def look(self) -> GrantReport:
        """What was asked so far: new calls become steps, and what they waited for the provider is
        no time of the agent. Raises Infrastructure where the gateway doesn't answer."""
        before, self._report = self._report, self._access.report()
        self._shell.excuse((self._report.waited_ms - before.waited_ms) / 1_000)
        note_calls(self._shell, self._report)
        return self._report

    def excuse(self, seconds: float) -> None:
        """For so long there was nobody to ask."""
        self._shell.excuse(seconds)

    def watch(self) -> None:
        """Called while the model is asked. Raises OutOfTime, and StageStopped."""
        self._shell.refuse_stopped()
        if self._shell.left_s <= 0:
            self.look()
            if self._shell.left_s <= 0:
                raise OutOfTime

    def spent(self) -> Spent:
        """What is used of every budget, as it was at the last look."""
        left_s = self._shell.left_s
        return Spent(
            left_s=left_s,
            wall_s=self._shell.used_s + left_s,
            tokens=self._report.tokens,
            cost_microusd=self._report.cost_microusd,
            most_tokens=self._caps.tokens,
            most_cost_microusd=self._caps.cost_microusd,
        )
