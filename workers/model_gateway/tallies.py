"""What a gateway counts for Prometheus."""

import shutil
from collections.abc import Iterable
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, Gauge

from models.schemas.model_call import ModelCall
from models.verdicts import VoidCategory

NO_REPLY = "no reply"
ANSWERS = (NO_REPLY, "200", "429", "500", "502", "503", "504", "529")
FAULTS = (VoidCategory.GATEWAY, VoidCategory.PROVIDER_UNAVAILABLE)
NO_ROOM = 402
KINDS = ("input_uncached", "cache_read", "cache_write", "output", "reasoning")


class GatewayTallies:
    """Counters of one gateway process. What alerts look at is told from the beginning: the first
    time would be no increase of a series that was not there."""

    def __init__(self, registry: CollectorRegistry, providers: Iterable[str]) -> None:
        def counter(name: str, text: str, *labels: str) -> Counter:
            return Counter(f"gradefarm_gateway_{name}", text, labels, registry=registry)

        self._calls = counter("calls", "Calls of runs to models.", "model", "stop")
        self._attempts = counter("attempts", "Times a provider was asked.", "provider", "answer")
        self._tokens = counter("tokens", "Tokens that providers reported.", "model", "kind")
        self._cost = counter("cost_microusd", "Settled cost in micro-USD.", "model")
        self._waited = counter("waited_seconds", "Time that counted for no run.", "provider")
        self._refused = counter("refused", "Calls that no provider was asked for.", "status")
        self._faults = counter("faults", "Grants that ended as void.", "category")
        self._free = Gauge(
            "gradefarm_gateway_free_bytes", "Room for the gateway's books.", registry=registry
        )
        self.grants = Gauge("gradefarm_gateway_grants", "Grants that are open.", registry=registry)
        self._begin(providers)

    def _begin(self, providers: Iterable[str]) -> None:
        for provider in providers:
            self._waited.labels(provider)
            for answer in ANSWERS:
                self._attempts.labels(provider, answer)
        for category in FAULTS:
            self._faults.labels(category)
        self._refused.labels(str(NO_ROOM))

    def watch_disk(self, folder: Path) -> None:
        """Tell how much room is left where `folder` lies, whenever it is asked."""
        self._free.set_function(lambda: shutil.disk_usage(folder).free)

    def note_attempt(self, provider: str, answer: str) -> None:
        """A provider was asked once; `answer` is its status, or says that there was none."""
        self._attempts.labels(provider, answer).inc()

    def note_call(self, call: ModelCall, provider: str) -> None:
        """A call was settled."""
        self._calls.labels(call.model, call.stop).inc()
        self._cost.labels(call.model).inc(call.cost_microusd or 0)
        self._waited.labels(provider).inc(call.waited_ms / 1_000)
        if call.usage is not None:
            for kind in KINDS:
                self._tokens.labels(call.model, kind).inc(getattr(call.usage, kind))

    def note_refusal(self, status: int) -> None:
        """A call was refused before any provider was asked."""
        self._refused.labels(str(status)).inc()

    def note_fault(self, category: str) -> None:
        """A grant was closed with a fault."""
        self._faults.labels(category).inc()
