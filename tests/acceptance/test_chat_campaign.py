"""A campaign of the farm's own agent on a whole farm: what was planted comes out, to the token."""

import json
from pathlib import Path

import pytest

from tests.acceptance.farm_process import FarmHome, farm_home
from tests.benchmarks.planted_campaign import (
    OUTAGE_AT,
    Size,
    hold_against,
    planted_farm,
    run_campaign,
    settings_of,
)
from tests.fakes.planted_chat import Plant

pytestmark = [pytest.mark.real, pytest.mark.slow]

SMALL = Size(
    tasks=("circuit-breaker",),
    languages=("python",),
    repeats=len(Plant),
    outage_s=2,
    patience_s=15,
)


def shown(farm: FarmHome, run: int) -> str:
    told = farm.run("runs", "show", str(run))
    assert told.returncode == 0, told.stderr
    return told.stdout


def test_verdicts_voids_fates_and_costs_are_exactly_as_planted(tmp_path: Path) -> None:
    with farm_home(tmp_path) as farm, planted_farm(farm, SMALL) as (server, planted):
        campaign = run_campaign(farm, SMALL, patience_s=180)
        held = hold_against(settings_of(farm), campaign, server, planted)
        assert held.differences == ()
        assert set(held.plants) == set(Plant)
        assert held.requests > OUTAGE_AT
        assert held.statuses[429] == 2
        assert held.waited_s >= SMALL.outage_s
        by_plant = dict(zip(held.plants, (run.id for run in held.runs), strict=True))
        evasive = shown(farm, by_plant[Plant.EVASIVE])
        assert "acted on, 1 refused, 1 empty" in evasive
        unnoticed = shown(farm, by_plant[Plant.UNNOTICED])
        assert "which the system did not notice" in unnoticed
        away = shown(farm, by_plant[Plant.AWAY])
        assert "provider_unavailable (blamed: provider)" in away
        told = farm.run("runs", "transcript", str(by_plant[Plant.STUCK])).stdout
        assert told.count("message  -> nudged") == 3
        stuck = farm.run("runs", "show", str(by_plant[Plant.STUCK]), "--json").stdout
        assert json.loads(stuck)["replies"] == {
            "fates": {"nudged": 3},
            "first_solved_turn": None,
            "noticed": False,
        }
