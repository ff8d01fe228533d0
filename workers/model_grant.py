"""The grant of one attempt: opened before its system works, closed and accounted for afterwards."""

from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace

import httpx

from models.errors import Infrastructure
from models.schemas.budget import Used
from models.schemas.model_call import Grant, GrantReport, GrantRequest
from models.schemas.run import RunOrder
from models.verdicts import StopReason, VoidCategory
from workers.agents.adapter import AgentEnding
from workers.agents.agent_shell import AgentShell
from workers.agents.call_steps import note_calls
from workers.agents.model_needs import EXHAUSTED, ModelAccess, ModelNeeds
from workers.attempt_use import AgentWork
from workers.gateway_access import GatewayAccess, needed
from workers.sandbox_door import GatewayDoor

MOST_LOST_PERCENT = 10
"""Of a budget that is used up: what was held for replies that a provider broke off, which nobody
knows the cost of. No run fails for more; with less it had its chance, and voids that one broken
reply could bring about would leave out failures and keep successes."""


@dataclass(frozen=True, slots=True)
class ModelGrant:
    """A grant that is open until it is settled. `own_network`: whether sandboxes have one."""

    gateway: GatewayAccess
    grant: Grant
    work: AgentWork
    own_network: bool

    @property
    def access(self) -> ModelAccess:
        """What the agent is given."""
        return ModelAccess(self.grant.key, self._http, self._report, self._door)

    def settle(self, ending: AgentEnding, shell: AgentShell) -> AgentEnding:
        """Close the grant; `ending` with what the gateway counted, and with the calls that were
        under way when the agent ended among the steps of its `shell`.

        Raises Infrastructure where gateway or provider failed, or the gateway doesn't answer.
        """
        report = self.close()
        if report.fault is not None:
            raise Infrastructure(report.fault.category, report.fault.detail)
        lost = _lost_percent(report, ending.stop_reason)
        if lost > MOST_LOST_PERCENT:
            told = f"its budget ended, {lost:.0f} % of it for replies that the provider broke off"
            raise Infrastructure(VoidCategory.PROVIDER_UNAVAILABLE, told)
        note_calls(shell, report)
        return replace(
            ending, steps=shell.steps, cost_microusd=report.cost_microusd, tokens=report.tokens
        )

    def close(self) -> GrantReport:
        """Close it, and note what was used. May be said again. Raises Infrastructure."""
        report = self.gateway.close(self.grant)
        self.work.used = Used(cost_microusd=report.cost_microusd, tokens=report.tokens)
        return report

    def _report(self) -> GrantReport:
        return self.gateway.report(self.grant)

    def _door(self) -> GatewayDoor:
        return GatewayDoor(
            self.gateway, lambda: self.gateway.waited_s(self.grant), own_network=self.own_network
        )

    def _http(self) -> httpx.AsyncClient:
        socket = self.gateway.socket_path
        way = httpx.AsyncHTTPTransport(uds=socket) if socket else httpx.AsyncHTTPTransport()
        return httpx.AsyncClient(base_url=self.gateway.base_url, transport=way, trust_env=False)


def _lost_percent(report: GrantReport, stop: StopReason) -> float:
    """Of the budget that ended a run, the part that broken replies took; 0 for another end."""
    broken = [call for call in report.calls if call.broke_off]
    if stop is EXHAUSTED["tokens"]:
        return 100 * sum(call.tokens for call in broken) / max(1, report.tokens)
    if stop is EXHAUSTED["cost"]:
        return 100 * sum(call.cost_microusd or 0 for call in broken) / max(1, report.cost_microusd)
    return 0.0


@contextmanager
def open_grant(
    gateway: GatewayAccess | None,
    order: RunOrder,
    needs: ModelNeeds,
    work: AgentWork,
    *,
    farm: str,
    own_network: bool = True,
) -> Generator[ModelGrant]:
    """A grant for the attempt of `order` in `farm`, closed however the block ends.

    Raises Infrastructure where there is no gateway, it doesn't answer, is another farm's, or has no
    such model.
    """
    caps = needs.within(order.limits)
    asked = GrantRequest(
        farm=farm,
        run_id=order.run_id,
        token=order.token,
        models=caps.models,
        cost_microusd=caps.cost_microusd,
        tokens=caps.tokens,
        label=order.label,
    )
    access = needed(gateway)
    grant = ModelGrant(access, access.open(asked), work, own_network)
    work.begun = True
    try:
        yield grant
    except BaseException:
        # What ended the stage is told; what was used is then unknown.
        with suppress(Infrastructure):
            grant.close()
        raise
