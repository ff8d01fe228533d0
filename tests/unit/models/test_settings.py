"""Settings: read once, bounded, and wrong ones named by their variable."""

import traceback
from pathlib import Path

import pytest
from pydantic import ValidationError

from models.errors import InvalidInput
from models.schemas.campaign import CampaignLimits
from models.schemas.lease import LeaseTerms
from models.schemas.longest_stage import (
    BACKSTOP_S,
    LONGEST_AGENT_STAGE_S,
    LONGEST_GRADE_STAGE_S,
)
from models.settings import (
    Settings,
    allow_unisolated_runs,
    current_settings,
    process_environment,
    read_settings,
)


def settings(tmp_path: Path, **variables: str) -> Settings:
    return read_settings({"GRADEFARM_HOME": str(tmp_path), **variables})


@pytest.mark.parametrize(
    ("variables", "named"),
    [
        ({"GRADEFARM_LEASE_S": "0"}, "GRADEFARM_LEASE_S"),
        ({"GRADEFARM_BEAT_S": "0"}, "GRADEFARM_BEAT_S"),
        ({"GRADEFARM_LEASE_S": "10", "GRADEFARM_BEAT_S": "5"}, "GRADEFARM_BEAT_S"),
        ({"GRADEFARM_QUEUE_SLOT_S": "0"}, "GRADEFARM_QUEUE_SLOT_S"),
        ({"GRADEFARM_TICK_S": "inf"}, "GRADEFARM_TICK_S"),
    ],
)
def test_times_that_can_not_work_are_refused_by_their_variable(
    tmp_path: Path, variables: dict[str, str], named: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        settings(tmp_path, **variables)
    assert named in str(caught.value)


def test_a_beat_may_be_exactly_a_third_of_the_lease() -> None:
    assert LeaseTerms(lease_s=0.3, beat_s=0.1).beat_s == 0.1


def test_the_backstop_of_celery_lies_above_every_limit_that_a_stage_may_have() -> None:
    assert min(BACKSTOP_S - LONGEST_AGENT_STAGE_S, BACKSTOP_S - LONGEST_GRADE_STAGE_S) > 0
    with pytest.raises(ValidationError):
        CampaignLimits(agent_wall_s=LONGEST_AGENT_STAGE_S)


def test_runs_without_a_sandbox_are_allowed_for_all_child_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRADEFARM_HOME", str(tmp_path))
    monkeypatch.setenv("GRADEFARM_ALLOW_UNISOLATED", "false")
    current_settings.cache_clear()
    assert not current_settings().allow_unisolated
    allow_unisolated_runs()
    assert current_settings().allow_unisolated
    assert read_settings(process_environment()).allow_unisolated
    current_settings.cache_clear()


def test_a_password_may_lie_in_a_file_instead_of_the_environment(tmp_path: Path) -> None:
    secret = tmp_path / "database_url"
    secret.write_text("postgresql://farm:hunter2@db/farm\n")
    found = settings(tmp_path, GRADEFARM_DATABASE_URL_FILE=str(secret))
    assert found.database_url == "postgresql://farm:hunter2@db/farm"
    assert settings(tmp_path, GRADEFARM_DATABASE_URL_FILE="").database_url.startswith("sqlite:")


def test_no_error_shows_a_password_that_an_address_may_hold(tmp_path: Path) -> None:
    password = "hunter" + "2"
    address = f"amqp://farm:{password}@mq/"
    with pytest.raises(InvalidInput) as caught:
        settings(tmp_path, GRADEFARM_BROKER_URL=address, GRADEFARM_TICK_S="x")
    told = "".join(traceback.format_exception(caught.value))
    assert "GRADEFARM_BROKER_URL" in told
    assert "got 'x'" in told
    assert password not in told


def test_a_file_of_a_setting_that_can_not_be_read_is_named_with_its_variable(
    tmp_path: Path,
) -> None:
    with pytest.raises(InvalidInput) as caught:
        settings(tmp_path, GRADEFARM_BROKER_URL_FILE=str(tmp_path / "nowhere"))
    assert "GRADEFARM_BROKER_URL_FILE" in str(caught.value)
    assert "nowhere" in str(caught.value)
