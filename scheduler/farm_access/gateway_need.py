"""Whether a campaign asks language models on a farm that has no way to them."""

from models.errors import Refused
from models.schemas.agents import GATEWAY_AGENTS
from models.schemas.campaign import CampaignSpec
from models.settings import Settings


def refuse_without_gateway(settings: Settings, spec: CampaignSpec) -> None:
    """Raises Refused where systems need the gateway and this farm is known to have none.

    Of a farm whose broker is elsewhere nobody knows here what its workers have: runs of such
    systems are void there, with the same remedy.
    """
    if settings.has_gateway or not settings.embedded_broker:
        return
    needy = [system.name for system in spec.systems if system.agent in GATEWAY_AGENTS]
    if needy:
        raise Refused(
            f"this farm has no gateway, and {', '.join(needy)} would ask a language model.",
            remedy=f"Write {settings.gateway_config} (the README's chapter on models behind a "
            "gateway has an example), and start `gradefarm gateway`, or `gradefarm up` anew.",
        )
