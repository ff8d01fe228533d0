"""An agent with a known solve rate: what statistics and boards are tried out on."""

import hashlib

from models.schemas.agents import StochasticSettings
from models.schemas.gate import REFERENCE, STARTER, fault_subject
from models.schemas.run import RunOrder
from workers.agents.adapter import AgentContext, AgentEnding
from workers.agents.subject import apply_subject


class StochasticAgent:
    """Solves with the given probability, else leaves a planted fault or the starter."""

    needs_shell = False
    model_needs = None

    def __init__(self, settings: StochasticSettings) -> None:
        self._settings = settings

    def run(self, context: AgentContext) -> AgentEnding:
        """Apply the choice of this run: the same one whenever it is tried again."""
        faults = tuple(fault.id for fault in context.sealed().manifest.faults)
        return apply_subject(choose_subject(self._settings, context.order, faults), context)


def choose_subject(settings: StochasticSettings, order: RunOrder, faults: tuple[str, ...]) -> str:
    """The subject that a run of this system gets, decided by its place in the plan alone."""
    if _draw(settings, order, "solve") < settings.solve_probability:
        return REFERENCE
    kind = settings.fail_with
    if kind == "mixed":
        kind = "fault" if _draw(settings, order, "kind") < 0.5 else "starter"
    if kind == "starter" or not faults:
        return STARTER
    return fault_subject(sorted(faults)[int(_draw(settings, order, "fault") * len(faults))])


def _draw(settings: StochasticSettings, order: RunOrder, purpose: str) -> float:
    """A number in [0, 1) from seed, task, language, repeat and purpose."""
    key = f"{settings.seed}\n{order.task}\n{order.language}\n{order.repeat}\n{purpose}"
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:6]) / 2**48
