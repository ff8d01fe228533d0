"""Flower alone is never without a login."""

from pathlib import Path

import pytest

from models.errors import InvalidInput
from models.settings import read_settings
from scheduler.cli.flower import login_of


def test_the_login_comes_from_the_settings_or_is_made_once(tmp_path: Path) -> None:
    base = {"GRADEFARM_HOME": str(tmp_path)}
    named = login_of(read_settings({**base, "GRADEFARM_FLOWER_LOGIN": "eve:with:colons"}))
    assert (named.user, named.password) == ("eve", "with:colons")
    made = login_of(read_settings(base))
    assert made == login_of(read_settings(base))
    assert len(made.password) > 20


@pytest.mark.parametrize("login", ["farm", "farm:", ":secret"])
def test_half_a_login_is_refused(tmp_path: Path, login: str) -> None:
    settings = read_settings({"GRADEFARM_HOME": str(tmp_path), "GRADEFARM_FLOWER_LOGIN": login})
    with pytest.raises(InvalidInput, match="GRADEFARM_FLOWER_LOGIN"):
        login_of(settings)


def test_a_password_is_not_shown_with_the_settings(tmp_path: Path) -> None:
    variables = {"GRADEFARM_HOME": str(tmp_path), "GRADEFARM_FLOWER_LOGIN": "farm:hunter2"}
    assert "hunter2" not in repr(read_settings(variables))
