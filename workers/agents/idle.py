"""An agent that does nothing: what the starter is worth."""

from models.verdicts import StopReason
from workers.agents.adapter import AgentContext, AgentEnding


class IdleAgent:
    """Stops at once."""

    needs_shell = False
    model_needs = None

    def run(self, context: AgentContext) -> AgentEnding:
        """Leave the workspace as it is."""
        del context
        return AgentEnding(StopReason.DONE, ())
