"""What is known of one call before it is made, and what every call is made with."""

from collections.abc import Mapping
from dataclasses import dataclass

from models.clock import Clock
from models.schemas.model_call import Wire
from workers.model_gateway.budget_book import Hold
from workers.model_gateway.configuration import Provider
from workers.model_gateway.kept_bodies import KeptBodies
from workers.model_gateway.price_table import Price
from workers.model_gateway.provider_health import ProviderHealth
from workers.model_gateway.provider_limits import ProviderLimits
from workers.model_gateway.request_preparing import PreparedRequest
from workers.model_gateway.secrets_filter import SecretsFilter
from workers.model_gateway.tallies import GatewayTallies
from workers.model_gateway.upstream import Upstream, UpstreamRequest


@dataclass(frozen=True, slots=True)
class GatewayTools:
    """What every call works with."""

    upstream: Upstream
    limits: Mapping[str, ProviderLimits]
    bodies: KeptBodies
    secrets: SecretsFilter
    clock: Clock
    tallies: GatewayTallies
    health: ProviderHealth


@dataclass(frozen=True, slots=True)
class CallPlan:
    """What is known of a call before it is made. `raw`: as it came in; `began` is monotonic."""

    number: int
    wire: Wire
    model: str
    raw: bytes
    began: float
    prepared: PreparedRequest
    price: Price
    hold: Hold
    asked: UpstreamRequest
    question: bytes
    provider: Provider
