"""An agent that follows a script: what sandbox, budgets and transcripts are tried out on."""

from models.schemas.agents import ScriptedSettings
from models.verdicts import StopReason
from workers.agents.adapter import AgentContext, AgentEnding
from workers.agents.agent_shell import SHELL, STOPPED_BY, AgentShell


class ScriptedAgent:
    """Runs shell commands one after the other; a failing one doesn't stop it, a budget does."""

    needs_shell = True
    model_needs = None

    def __init__(self, settings: ScriptedSettings) -> None:
        self._actions = settings.actions

    def run(self, context: AgentContext) -> AgentEnding:
        """Run every action in a sandbox of its own on the one workspace."""
        shell = context.shell
        assert shell is not None, "the stage gives a shell to every agent that needs one"
        reason = next(filter(None, (_act(shell, action) for action in self._actions)), None)
        return AgentEnding(reason or StopReason.DONE, shell.steps)


def _act(shell: AgentShell, action: str) -> StopReason | None:
    outcome = shell.run((*SHELL, action), shown=action)
    return STOPPED_BY.get(outcome.ending)
