"""TOML that Python's reader can't hold is refused as any other that is none."""

import pytest

from models.errors import InvalidInput
from scheduler.campaign_files import parse_campaign
from workers.model_gateway.configuration import parse_configuration


@pytest.mark.parametrize("text", ["a=" + "[" * 100_000, "a=" + "1" * 5_000, "a=["])
def test_broken_files_are_refused_by_name(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"campaign\.toml"):
        parse_campaign(text, "campaign.toml", {})
    with pytest.raises(InvalidInput, match=r"gateway.toml[\s\S]*is not TOML"):
        parse_configuration(text, "gateway.toml")
