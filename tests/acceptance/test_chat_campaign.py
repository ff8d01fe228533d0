"""A campaign of the farm's own agent on a whole farm: what was planted comes out, to the token."""

import json
from collections import Counter
from pathlib import Path

import pytest

from models.schemas.transcript import Fate
from tests.acceptance.farm_process import FarmHome, farm_home
from tests.benchmarks.planted_campaign import (
    OUTAGE_AT,
    Size,
    hold_against,
    planted_farm,
    run_campaign,
    settings_of,
)
from tests.fakes.planted_chat import Plant, PlantedModel

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
            "told_by": "farm",
            "fates": {"nudged": 3},
            "measured": True,
            "first_solved_turn": None,
            "noticed": False,
        }
        shown_over_all(farm, campaign, planted, held.plants)


def shown_over_all(
    farm: FarmHome, campaign: str, planted: PlantedModel, plants: tuple[str, ...]
) -> None:
    """Where the reader of a campaign looks, all fates are counted, and nothing is averaged."""
    variant = SMALL.variants[0]
    expected = [planted.expected(variant, n) for n in range(1, SMALL.repeats + 1)]
    fates = Counter[Fate]()
    for one in expected:
        fates.update(one.fates)
    turn = expected[plants.index(Plant.UNNOTICED)].first_solved_turn
    (board,) = json.loads(farm.run("board", campaign, "--json").stdout)["systems"]
    (status,) = json.loads(farm.run("campaign", "status", campaign, "--json").stdout)["replies"]
    assert board["replies"] == status
    assert status["fates"] == {fate: fates[fate] for fate in Fate}
    assert status["runs"] == SMALL.repeats - 1
    assert status["unnoticed"] == {str(turn): 1}
    counted = ", ".join(f"{fates[one]} {one.value.replace('_', ' ')}" for one in Fate)
    told = f"{fates.total()} in {SMALL.repeats - 1} runs: {counted}"
    for words in (("board", campaign), ("campaign", "status", campaign)):
        printed = " ".join(farm.run(*words).stdout.split())
        assert told in printed
        assert f"in 1 of these, solved first after turn {turn}" in printed
