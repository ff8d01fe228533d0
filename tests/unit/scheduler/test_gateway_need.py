"""A campaign that asks language models is refused where there is no gateway, if that is known."""

from pathlib import Path

import pytest

from models.errors import Refused
from models.schemas.campaign import CampaignSpec
from models.settings import read_settings
from scheduler.farm_access.gateway_need import refuse_without_gateway

SPEC = CampaignSpec.model_validate(
    {
        "name": "one",
        "tasks": ["a"],
        "languages": ["go"],
        "repeats": 1,
        "systems": [
            {"name": "idle", "agent": "idle"},
            {"name": "talks", "agent": "chat", "settings": {"model": "m"}},
        ],
    }
)


def test_it_is_refused_with_the_remedy(tmp_path: Path) -> None:
    settings = read_settings({"GRADEFARM_HOME": str(tmp_path)})
    with pytest.raises(Refused, match=r"talks would ask .* Write .*gateway\.toml"):
        refuse_without_gateway(settings, SPEC)
    quiet = SPEC.model_copy(update={"systems": SPEC.systems[:1]})
    refuse_without_gateway(settings, quiet)


def test_it_is_not_where_there_is_one_or_nobody_can_know(tmp_path: Path) -> None:
    home = {"GRADEFARM_HOME": str(tmp_path)}
    elsewhere = home | {"GRADEFARM_BROKER_URL": "redis://broker/0"}
    refuse_without_gateway(read_settings(elsewhere), SPEC)
    refuse_without_gateway(read_settings(home | {"GRADEFARM_GATEWAY_URL": "http://gw"}), SPEC)
    (tmp_path / "gateway.toml").write_text("")
    refuse_without_gateway(read_settings(home), SPEC)
