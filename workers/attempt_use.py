"""What an attempt used before the farm had to give it up, as far as a worker can know."""

from dataclasses import dataclass

from models.schemas.agents import SCRIPTED_AGENTS
from models.schemas.budget import UNKNOWN_USE, Used
from models.schemas.run import RunOrder
from workers.run_recorder import RunRecorder

NO_MODEL_USED = Used(cost_microusd=0, tokens=0)


@dataclass
class AgentWork:
    """What is known, while an attempt goes on, of how far its system came.

    `begun`: whether a program of it may have run, or a model may have been asked. `used`: what the
    gateway counted of that in the end, None where it counted nothing, or could not be asked.
    `recorder` writes the record of its run.
    """

    begun: bool = False
    used: Used | None = None
    recorder: RunRecorder | None = None


def used_until_now(order: RunOrder, work: AgentWork) -> Used:
    """What the gateway counted; else neither money nor tokens where no language model can have been
    asked; else unknown.

    Why an attempt is void says nothing of that: a sandbox that can't be set up is told from one
    that can't be taken down by its text.
    """
    if work.used is not None:
        return work.used
    if order.system.agent in SCRIPTED_AGENTS or not work.begun:
        return NO_MODEL_USED
    return UNKNOWN_USE
