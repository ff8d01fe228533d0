"""The calls that the gateway saw, as steps of the run that made them."""

from models.schemas.budget import Resource, amount_text
from models.schemas.model_call import GrantReport, ModelCall
from workers.agents.agent_shell import AgentShell


def note_calls(shell: AgentShell, report: GrantReport) -> None:
    """Note every call of `report` that is no step yet, at the moment when it was over."""
    numbers = (step.data.get("number") for step in shell.steps if step.kind == "model_call")
    known = {number for number in numbers if isinstance(number, int)}
    now = shell.at
    for call in sorted(report.calls, key=report.ago_s, reverse=True):
        if call.number not in known:
            at = max(0.0, now - report.ago_s(call))
            shell.note("model_call", call_text(call), data=call.model_dump(mode="json"), at=at)


def call_text(call: ModelCall) -> str:
    """A call in a line: `gpt-5, stop: 1,096 tokens, 0.0014 USD`."""
    tokens = call.tokens if call.usage is None else call.usage.total
    cost = amount_text(Resource.COST, call.cost_microusd or 0)
    return f"{call.model}, {call.stop}: {amount_text(Resource.TOKENS, tokens)}, {cost}"
