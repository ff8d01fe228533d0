"""Several campaigns as if they were one. Pure."""

from collections import Counter
from collections.abc import Sequence

from models.schemas.campaign import AT_WORK, CampaignState
from models.schemas.campaign_progress import CampaignProgress


def joined_progress(parts: Sequence[CampaignProgress]) -> CampaignProgress:
    """The progress of several campaigns as one: it goes on until all of `parts` have stopped.

    Then it is finished, unless somebody stopped one of them.
    """
    if len(parts) == 1:
        return parts[0]
    going = [part.state for part in parts if part.state in AT_WORK]
    broken = [part.state for part in parts if part.state is not CampaignState.FINISHED]
    counted = ("total", "waiting", "agent_queued", "agent_leased", "frozen", "grade_queued")
    counted += ("grade_leased", "passed", "failed", "undelivered", "cancelled")
    sums = {name: sum(getattr(part, name) for part in parts) for name in counted}
    voids = sum((Counter(part.voids) for part in parts), Counter[str]())
    joined = {
        "campaign_id": f"{len(parts)} campaigns",
        "state": (*going, *broken, CampaignState.FINISHED)[0],
        "voids": dict(voids),
    }
    return CampaignProgress.model_validate({**joined, **sums})
