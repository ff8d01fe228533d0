"""Limits of systems in words. Pure."""

from collections.abc import Sequence

from models.schemas.campaign import CampaignSpec
from models.schemas.system_limit import SystemLimits, SystemLoad


def limits_text(limits: SystemLimits) -> str:
    """`4 at once, 30 starts a minute`, or `none`."""
    parts: list[str] = []
    if limits.max_concurrent is not None:
        parts.append(f"{limits.max_concurrent} at once")
    if limits.starts_per_minute is not None:
        parts.append(f"{limits.starts_per_minute} starts a minute")
    return ", ".join(parts) or "none"


def changed_limits(spec: CampaignSpec, loads: Sequence[SystemLoad]) -> list[str]:
    """A line for each system whose limits a campaign sets otherwise than they are."""
    before = {load.system_id: load for load in loads}
    lines: list[str] = []
    for system in spec.systems:
        load = before.get(system.id)
        if load is None or not load.limits.limits_anything:
            continue
        after = load.limits.changed_by(system)
        if after != load.limits:
            lines.append(
                f"{system.name}: its limits were {limits_text(load.limits)} "
                f"({load.set_by}); they are {limits_text(after)} now, for all campaigns"
            )
    return lines
