"""A person adds the language of CONTRIBUTING.md by writing one file, and the farm has it."""

import json
import shutil
from pathlib import Path

import pytest

from tests.acceptance.farm_process import farm_home
from tests.conftest import miss
from tests.contract.documented_language import DOCUMENTED, documented_definition

pytestmark = pytest.mark.real


def test_a_language_is_there_once_its_file_is(tmp_path: Path) -> None:
    if shutil.which(DOCUMENTED) is None:
        miss(DOCUMENTED)
    with farm_home(tmp_path) as farm:
        unknown = farm.run("worker", "--probe", "--languages", DOCUMENTED)
        assert unknown.returncode != 0
        assert f"{DOCUMENTED} is not defined" in unknown.stderr

        (farm.languages / f"{DOCUMENTED}.toml").write_text(documented_definition())
        told = farm.run("worker", "--probe", "--languages", DOCUMENTED, "--json")
        probe = json.loads(told.stdout)
        assert list(probe["languages"]) == [DOCUMENTED], told.stdout
        assert probe["languages"][DOCUMENTED].startswith(f"{DOCUMENTED} ")
        assert probe["unready"] == []
        assert f"ok    {DOCUMENTED}" in farm.run("doctor").stdout
