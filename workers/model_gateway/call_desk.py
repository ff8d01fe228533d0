"""Where calls come in: refuses what no run may ask, and sends the rest on its way."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from models.event_log import event
from models.schemas.model_call import ModelCall, Wire
from workers.model_gateway.account import BudgetExhausted, GrantAccount, GrantClosed
from workers.model_gateway.body_parsing import parse_body
from workers.model_gateway.budget_book import Hold
from workers.model_gateway.call_plan import CallPlan, GatewayTools
from workers.model_gateway.call_room import Holding
from workers.model_gateway.configuration import GatewayConfiguration, ServedModel, wires_of
from workers.model_gateway.error_format import error_bytes
from workers.model_gateway.field_checks import FieldRefused
from workers.model_gateway.heavy_work import HeavyWork, Made
from workers.model_gateway.model_call_task import ModelCallTask
from workers.model_gateway.price_table import Price, day_of
from workers.model_gateway.provider_health import small_question
from workers.model_gateway.reply_line import ReplyLine
from workers.model_gateway.request_preparing import output_limits, prepare_request
from workers.model_gateway.upstream import ANTHROPIC_VERSION, PATHS, UpstreamRequest

_LOG = logging.getLogger(__name__)
Headers = Mapping[str, str]
MOST_TOLD = 200
"""Characters of a name that a client made up."""
MOST_UNPAID = 1_000
"""Calls of a grant that cost nothing; it gets no more, since each is noted."""


@dataclass(frozen=True)
class CallRefused(Exception):
    """The gateway does not ask this; `rule` is the field or the rule that it breaks."""

    status: int
    rule: str
    message: str


@dataclass(frozen=True, slots=True)
class Call:
    """A call as it came in."""

    wire: Wire
    raw: bytes
    headers: Headers


class CallDesk:
    """Takes the calls of all grants."""

    def __init__(self, configuration: GatewayConfiguration, tools: GatewayTools) -> None:
        self._configuration = configuration
        self._prices = configuration.price_table
        self._tools = tools
        self._heavy = HeavyWork()

    async def take(self, account: GrantAccount, call: Call, holding: Holding) -> ReplyLine:
        """Where the reply to `call` will come; a refusal is one, too. `holding` ends with it."""
        if account.unpaid >= MOST_UNPAID:
            holding.end()
            return self._answer(call, CallRefused(403, "refusals", "too many calls were refused"))
        number = account.next_number()
        sent: dict[str, object] = {}
        try:
            sent = await self.parsed(account, call)
            plan = await self._plan(account, call, sent, number)
            await self._reserve(account, plan)
        except CallRefused as refusal:
            holding.end()
            return self._refuse(account, call, refusal, _draft(number, call, sent))
        except BaseException:
            holding.end()
            raise
        task = ModelCallTask(account, plan, self._tools)
        task.start(holding)
        return task.line

    async def parsed(self, account: GrantAccount, call: Call) -> dict[str, object]:
        """The fields of `call`. Raises CallRefused."""
        return await self.worked_out(account, call, partial(parse_body, call.raw))

    async def worked_out(self, account: GrantAccount, call: Call, work: Callable[[], Made]) -> Made:
        """What `work` makes of `call`, without keeping others waiting. Raises CallRefused."""
        try:
            return await self._heavy.do(account, len(call.raw), work)
        except FieldRefused as refused:
            raise CallRefused(400, refused.field, str(refused)) from None

    def served(self, account: GrantAccount, wire: Wire, model: object) -> ServedModel:
        """A model that the grant may ask in this format. Raises CallRefused."""
        if not isinstance(model, str) or model not in account.request.models:
            granted = ", ".join(account.request.models)
            asked = f"model {_name_of(model)!r} is not granted"
            raise CallRefused(403, "model", f"{asked}; these are: {granted}")
        served = self._configuration.models.get(model)
        if served is None or wire not in wires_of(self._configuration.providers[served.provider]):
            raise CallRefused(403, "model", f"model {model!r} is not served in this format")
        return served

    async def _plan(
        self, account: GrantAccount, call: Call, sent: dict[str, object], number: int
    ) -> CallPlan:
        began = self._tools.clock.monotonic()
        served = self.served(account, call.wire, sent.get("model"))
        model = str(sent["model"])
        price = self._price(model)
        provider = self._configuration.providers[served.provider]
        prepare = partial(prepare_request, call.wire, sent, served, provider)
        prepared = await self.worked_out(account, call, prepare)
        if account.fault is not None:
            raise CallRefused(503, "fault", account.fault.detail)
        tokens = prepared.read + prepared.written
        hold = Hold(price.most(prepared.read, prepared.written), tokens)
        asked = UpstreamRequest(
            provider=served.provider,
            model=model,
            path=PATHS[call.wire],
            wire=call.wire,
            content=prepared.content,
            headers=upstream_headers(call, provider.betas),
            label=account.request.label,
            grant=account.opening.id,
            streamed=prepared.streamed,
        )
        limit = output_limits(call.wire, provider)[0]
        return CallPlan(
            number=number,
            wire=call.wire,
            model=model,
            raw=call.raw,
            began=began,
            prepared=prepared,
            price=price,
            hold=hold,
            asked=asked,
            question=small_question(call.wire, served.upstream or model, limit),
            provider=provider,
        )

    def _price(self, model: str) -> Price:
        price = self._prices.at(model, day_of(self._tools.clock.now()))
        if price is None:
            raise CallRefused(403, "model", f"model {model!r} has no price in the gateway file")
        return price

    async def _reserve(self, account: GrantAccount, plan: CallPlan) -> None:
        streamed = plan.prepared.streamed
        try:
            await account.reserve(
                plan.number,
                plan.hold,
                {"wire": plan.wire, "model": plan.model, "streamed": streamed},
            )
        except BudgetExhausted as exhausted:
            message = f"the run's budget of {exhausted.kind} has no room for this call"
            raise CallRefused(402, f"budget.{exhausted.kind}", message) from None
        except GrantClosed:
            raise CallRefused(401, "key", "the run is no longer at work") from None

    def _refuse(
        self, account: GrantAccount, call: Call, refusal: CallRefused, draft: ModelCall
    ) -> ReplyLine:
        # What a client calls its fields and models may be anything, a key among it.
        clean = self._tools.secrets.clean_text
        rule = clean(refusal.rule)[:MOST_TOLD]
        told = {"status": refusal.status, "refused": rule, "model": clean(draft.model)[:MOST_TOLD]}
        kept = {"request": self._tools.bodies.keep(account, call.raw, paid=False)}
        account.enter(draft.model_copy(update=told | kept))
        _LOG.info("", extra=event("call_refused", run=account.request.run_id, rule=rule))
        return self._answer(call, refusal)

    def _answer(self, call: Call, refusal: CallRefused) -> ReplyLine:
        self._tools.tallies.note_refusal(refusal.status)
        line = ReplyLine()
        body = error_bytes(call.wire, refusal.status, refusal.message, refusal.rule)
        line.answer(refusal.status, self._tools.secrets.clean(body))
        line.end()
        return line


def _draft(number: int, call: Call, sent: Mapping[str, object]) -> ModelCall:
    return ModelCall(
        number=number,
        wire=call.wire,
        model=_name_of(sent.get("model")),
        streamed=sent.get("stream") is True,
        status=400,
        stop="refused",
        cost_microusd=0,
    )


def _name_of(model: object) -> str:
    """What a client calls a model; empty for what is no name, and may be nested too deep to say."""
    return model if isinstance(model, str) else ""


def upstream_headers(call: Call, betas: tuple[str, ...]) -> dict[str, str]:
    """The few headers that a client decides on."""
    if call.wire != "anthropic":
        return {}
    asked = {one.strip() for one in call.headers.get("anthropic-beta", "").split(",")}
    chosen = [one for one in betas if one in asked]
    return {
        "anthropic-version": ANTHROPIC_VERSION,
        **({"anthropic-beta": ",".join(chosen)} if chosen else {}),
    }
