"""What an attempt used before the farm had to give it up, as far as a worker can know."""

from models.schemas.agents import SCRIPTED_AGENTS
from models.schemas.budget import UNKNOWN_USE, Used
from models.schemas.run import RunOrder
from models.verdicts import VoidCategory

NEVER_BEGAN = frozenset(
    {VoidCategory.SANDBOX_SETUP, VoidCategory.TOOLCHAIN_MISSING, VoidCategory.OPERATOR}
)
"""Why nothing of a system can have run: no sandbox, no toolchain, no such program."""
NO_MODEL_USED = Used(cost_microusd=0, tokens=0)


def used_until_now(order: RunOrder, category: VoidCategory | None = None) -> Used:
    """Neither money nor tokens where no language model can have been asked; else unknown."""
    if order.system.agent in SCRIPTED_AGENTS or category in NEVER_BEGAN:
        return NO_MODEL_USED
    return UNKNOWN_USE
