"""What one call cost, entered once in the books of its run."""

from dataclasses import dataclass

from models.schemas.model_call import ModelCall, Stop, TokenUsage
from workers.model_gateway.account import GrantAccount
from workers.model_gateway.call_plan import CallPlan, GatewayTools
from workers.model_gateway.waiting_time import CallTime


@dataclass(frozen=True, slots=True)
class Result:
    """How a call came out. `body` is what the provider said; `read` what it told of the input."""

    status: int
    stop: Stop
    body: bytes = b""
    usage: TokenUsage | None = None
    read: TokenUsage | None = None
    charged: bool = True


class CallSettling:
    """Settles one call."""

    def __init__(
        self, account: GrantAccount, plan: CallPlan, tools: GatewayTools, time: CallTime
    ) -> None:
        self._account = account
        self._plan = plan
        self._tools = tools
        self._time = time
        self.settled = False

    async def settle(self, result: Result, attempts: int, *, hung_up: bool) -> None:
        """Charge what was used; where nobody knows, what was held. Does it once.

        attempts: how often the provider was asked. hung_up: whether the client left before the end.
        """
        if self.settled:
            return
        self.settled = True
        plan, now = self._plan, self._tools.clock.monotonic()
        waited_s = self._time.waited(now)
        cost, tokens = self._charge(result)
        paid, keep = result.charged, self._tools.bodies.keep
        call = ModelCall(
            number=plan.number,
            wire=plan.wire,
            model=plan.model,
            streamed=plan.prepared.streamed,
            status=result.status,
            stop=result.stop,
            usage=result.usage,
            cost_microusd=cost,
            tokens=tokens,
            attempts=attempts,
            waited_ms=round(waited_s * 1_000),
            took_ms=max(0, round((now - plan.began - waited_s) * 1_000)),
            request=keep(self._account, plan.raw, paid=paid),
            response=keep(self._account, result.body, paid=paid),
            hung_up=hung_up,
        )
        await self._account.settle(call, plan.hold)
        self._tools.tallies.note_call(call, plan.asked.provider)

    def _charge(self, result: Result) -> tuple[int, int]:
        if not result.charged:
            return 0, 0
        price, prepared = self._plan.price, self._plan.prepared
        if result.usage is not None:
            return price.cost(result.usage), result.usage.total
        if result.read is not None:
            cost = price.cost(result.read) + price.most(0, prepared.written)
            return cost, result.read.total + prepared.written
        return self._plan.hold.cost_microusd, self._plan.hold.tokens
