"""What becomes of a run by what the gateway counted for it, whatever agent asked."""

from itertools import chain, repeat
from pathlib import Path
from typing import cast

import pytest

from models.clock import SystemClock
from models.errors import Infrastructure
from models.schemas.model_call import TokenUsage
from models.verdicts import StopReason, VoidCategory
from tests.fakes.model_server import model_server
from tests.fakes.model_wires import Reply
from tests.fakes.running_gateway import gateway_toml, running_gateway
from workers.agents.adapter import AgentEnding
from workers.agents.agent_shell import AgentShell, AgentWorkplace
from workers.attempt_use import AgentWork
from workers.model_grant import ModelGrant
from workers.sandbox.request import Limits

NONE = Limits(0.0, 0.0, 0, 0, 0, 0, 0)


def nothing_run() -> AgentShell:
    """A shell in which nothing is run, so that it needs no sandbox."""
    nowhere = cast("AgentWorkplace", None)
    return AgentShell(nowhere, NONE, lambda: False, SystemClock(), lambda _: "")


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("cut_after", [1, None])
def test_a_budget_that_broken_replies_used_up_voids_the_run_of_any_agent(
    tmp_path: Path, *, stream: bool, cut_after: int | None
) -> None:
    used = TokenUsage(input_uncached=900, output=100)
    reply = Reply("one two three four", usage=used, cut_after=cut_after)
    with (
        model_server(lambda _ask: reply) as server,
        running_gateway(tmp_path / "farm", gateway_toml(server)) as gateway,
    ):
        grant = gateway.grant(tokens=4_000)
        settling = ModelGrant(gateway.access, grant, AgentWork(), own_network=False)
        for _ in range(20):
            if gateway.ask(grant, "openai-chat", stream=stream).status_code == 402:
                break
        assert settling.access.report().exhausted == "tokens"
        shell = nothing_run()
        ending = AgentEnding(StopReason.TOKEN_BUDGET, ())
        if cut_after is None:
            assert settling.settle(ending, shell).stop_reason is StopReason.TOKEN_BUDGET
            return
        with pytest.raises(Infrastructure, match="the provider broke off") as failed:
            settling.settle(ending, shell)
        assert failed.value.category is VoidCategory.PROVIDER_UNAVAILABLE
        assert settling.work.used is not None
        done = AgentEnding(StopReason.DONE, ())
        assert settling.settle(done, shell).stop_reason is StopReason.DONE, "it needed no more"


def test_one_broken_reply_excuses_nobody_who_used_up_the_rest_of_the_budget(
    tmp_path: Path,
) -> None:
    used = TokenUsage(input_uncached=900, output=100)
    replies = chain([Reply("broken", usage=used, cut_after=1)], repeat(Reply("whole", usage=used)))
    with (
        model_server(lambda _ask: next(replies)) as server,
        running_gateway(tmp_path / "farm", gateway_toml(server)) as gateway,
    ):
        grant = gateway.grant(tokens=40_000)
        settling = ModelGrant(gateway.access, grant, AgentWork(), own_network=False)
        while gateway.ask(grant, "openai-chat", stream=True).status_code != 402:
            pass
        ending = settling.settle(AgentEnding(StopReason.TOKEN_BUDGET, ()), nothing_run())
        assert ending.stop_reason is StopReason.TOKEN_BUDGET
        assert sum(call.broke_off for call in gateway.close(grant).calls) == 1
